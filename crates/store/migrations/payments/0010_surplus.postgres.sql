-- A person also decides about money that is more than was asked for.

ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch', 'surplus'));
