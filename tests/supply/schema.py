"""Checks an SBOM against the schema of CycloneDX."""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(sys.argv[1]).read_text())
sys.exit(f"the SBOM does not follow the schema: {wrong}" if wrong else 0)
