//! Rules of the source tree that are easy to break by accident and cheap to check.

use std::{
    fs,
    path::{Path, PathBuf},
};
use till_service::settings::Setting;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder with this extension.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no .{ending} files");
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_domain_depends_on_nothing_that_could_reach_the_world() {
    let manifest: toml::Table = read(&root().join("crates/domain/Cargo.toml")).parse().expect("TOML");
    let names: Vec<_> = manifest["dependencies"].as_table().expect("a table").keys().cloned().collect();
    let listed = format!("`{}`", names.join("`, `"));
    let architecture = read(&root().join("ARCHITECTURE.md"));
    assert!(architecture.contains(&listed), "ARCHITECTURE.md does not list exactly {listed}");
}

#[test]
fn the_shop_knows_nothing_of_till_but_its_api() {
    let manifest: toml::Table = read(&root().join("crates/shop/Cargo.toml")).parse().expect("TOML");
    for table in ["dependencies", "dev-dependencies"] {
        let mut names = manifest[table].as_table().expect("a table").keys();
        assert!(names.all(|name| name != "till" && !name.starts_with("till-")), "{table}");
    }
}

#[test]
fn every_source_file_says_what_it_is_for() {
    for path in files("crates", "rs") {
        assert!(read(&path).starts_with("//! "), "{} has no module docs", path.display());
    }
}

/// Unit tests are inline; suites that are too long for that are in the crate's `tests/unit/`.
#[test]
fn no_file_of_tests_is_among_the_sources() {
    for path in files("crates", "rs") {
        let path = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
        let name = path.rsplit('/').next().expect("a name");
        let is_test = path.contains("/src/") && path.contains("/tests/")
            || matches!(name, "test.rs" | "tests.rs")
            || name.ends_with("_test.rs")
            || name.ends_with("_tests.rs");
        assert!(!is_test, "{path} belongs inline, or into tests/unit/ of its crate");
        for line in read(&root().join(&path)).lines().filter(|line| line.starts_with("#[path")) {
            let allowed = path.contains("/src/") && line.contains("../tests/unit/")
                || line.contains("docs/callbacks/verify.rs");
            assert!(allowed, "{path}: {line}");
        }
    }
}

#[test]
fn t6_no_template_switches_escaping_off() {
    let crates = ["panel", "server", "service", "shop"];
    let folders = crates.map(|name| format!("crates/{name}/templates"));
    for path in folders.iter().flat_map(|folder| files(folder, "html")) {
        let text = read(&path).replace(' ', "");
        assert!(!text.contains("|safe") && !text.contains("escape(\"none\")"), "{}", path.display());
    }
}

#[test]
fn i23_no_float_comes_near_money() {
    let crates = ["domain", "store", "providers", "shop", "service", "panel", "server"];
    let folders = crates.map(|name| format!("crates/{name}/src"));
    for path in folders.iter().flat_map(|folder| files(folder, "rs")) {
        let text = read(&path);
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert!(words.all(|word| word != "f64" && word != "f32"), "{}", path.display());
    }
}

/// The folders `accounts` and `payments` use the engine, and not each other.
#[test]
fn no_folder_of_the_store_names_one_above_or_beside_it() {
    for (folder, foreign) in
        [("engine", &["accounts", "payments"][..]), ("accounts", &["payments"]), ("payments", &["accounts"])]
    {
        for path in files(&format!("crates/store/src/{folder}"), "rs") {
            let text = read(&path);
            for other in foreign {
                let named =
                    text.contains(&format!("crate::{other}")) || text.contains(&format!("\n    {other}::"));
                assert!(!named, "{} names {other}", path.display());
            }
        }
    }
}

/// The paths that `a/{b,c}.rs` stands for.
fn paths_of(text: &str) -> Vec<String> {
    match text.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?))) {
        Some((start, (names, end))) => {
            names.split(',').map(|name| format!("{start}{}{end}", name.trim())).collect()
        }
        None => vec![text.to_owned()],
    }
}

#[test]
fn what_documents_name_is_there() {
    let mut functions = std::collections::HashSet::new();
    for path in files("crates", "rs") {
        let text = read(&path);
        functions
            .extend(text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next()).map(str::to_owned));
    }
    let named = |document: &str| -> Vec<String> {
        read(&root().join(document)).split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/security.md"] {
        for name in named(document) {
            let is_path =
                ["crates/", "tests/", "docs/", "bench/"].iter().any(|start| name.starts_with(start));
            for path in paths_of(&name).iter().filter(|path| is_path && !path.contains('*')) {
                assert!(root().join(path).exists(), "{document} names {path}");
            }
        }
    }
    for name in named("docs/security.md") {
        let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let is_metric = name.starts_with("till_");
        let is_test = plain && !is_metric && name.matches('_').count() >= 2 && name.len() >= 15;
        assert!(!is_test || functions.contains(&name), "docs/security.md names {name}");
    }
}

/// The modules of two crates, each after those it may name.
const ORDER: [(&str, &[&str]); 2] = [
    (
        "service",
        &[
            "random",
            "telemetry",
            "limits",
            "vault",
            "outbound",
            "traces",
            "access",
            "environment",
            "heartbeat",
            "web",
            "mail",
            "status",
            "cashier",
            "admin",
            "registry",
            "metrics",
            "callbacks",
            "reconcile",
            "search",
            "listener",
            "settings",
        ],
    ),
    ("server", &["api", "docs", "checkout", "workers", "app", "cli"]),
];

/// The modules that a text names after `crate::`, alone or in a list.
fn named_modules(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in text.split("crate::").skip(1) {
        let mut depth = 0_usize;
        let end = part.find(|c: char| {
            depth = if c == '{' { depth + 1 } else { depth.saturating_sub(usize::from(c == '}')) };
            c == ';' || depth == 0 && !c.is_alphanumeric() && !"_:{}".contains(c)
        });
        let list = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
        let inside = list.strip_prefix('{').unwrap_or(list);
        let mut depth = 0_usize;
        let items = inside.split(|c: char| {
            depth = if c == '{' { depth + 1 } else { depth.saturating_sub(usize::from(c == '}')) };
            c == ',' && depth == 0
        });
        let first = |item: &str| item.trim().find(|c: char| !c.is_alphanumeric() && c != '_');
        let names = items
            .map(str::trim)
            .map(|item| item.get(..first(item).unwrap_or(item.len())).unwrap_or_default());
        found.extend(names.filter(|name| !name.is_empty()));
    }
    found
}

#[test]
fn no_module_of_the_service_names_one_above_it() {
    assert_eq!(named_modules("use crate::{a::{B, C}, d,};\nlet x = crate::e::f(1);"), ["a", "d", "e"]);
    for (name, order) in ORDER {
        check_order(&format!("crates/{name}/src"), order);
    }
}

fn check_order(folder: &str, order: &[&str]) {
    let src = root().join(folder);
    let place = |name: &str| order.iter().position(|module| *module == name);
    let mut modules = std::collections::BTreeSet::new();
    for path in files(folder, "rs") {
        let inside = path.strip_prefix(&src).expect("a source").with_extension("");
        let module = inside.iter().next().and_then(|part| part.to_str()).expect("a name").to_owned();
        if matches!(module.as_str(), "lib" | "main") || inside.iter().any(|part| part == "tests") {
            continue;
        }
        let own = place(&module).unwrap_or_else(|| panic!("{module} is not in the order"));
        modules.insert(module);
        let text = read(&path);
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in named_modules(text) {
            let Some(other) = place(name) else {
                panic!("{}: crate::{name} is not a module", path.display())
            };
            assert!(other <= own, "{} names {name}, which is above it", path.display());
        }
    }
    assert_eq!(modules.len(), order.len(), "modules of the order that are gone: {modules:?}");
}

/// Comments name the one who acts: the vendor, the operator, another node.
#[test]
fn comments_name_the_one_who_acts() {
    let words = ["whoever", "somebody", "nobody", "anybody", "everybody", "whom"];
    for path in files("crates", "rs") {
        for (number, line) in read(&path).lines().enumerate() {
            let Some((_, comment)) = line.split_once("//") else { continue };
            let mut said = comment.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
            let place = format!("{}:{}", path.display(), number + 1);
            assert!(line.contains('"') || !said.any(|word| words.contains(&word.as_str())), "{place}");
        }
    }
}

/// A name means one thing: a search for it finds it.
#[test]
fn no_type_name_is_defined_more_than_three_times() {
    let mut defined = std::collections::BTreeMap::<String, Vec<String>>::new();
    let sources = files("crates", "rs").into_iter().filter(|path| path.iter().any(|part| part == "src"));
    for path in sources {
        for line in read(&path).lines() {
            let words: Vec<_> = line.split_whitespace().take_while(|word| !word.starts_with("//")).collect();
            let kind = words.iter().position(|word| ["struct", "enum", "trait", "union"].contains(word));
            let Some(name) = kind.filter(|place| *place < 2).and_then(|place| words.get(place + 1)) else {
                continue;
            };
            let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
            if name.is_empty() {
                // The name is a macro's argument.
                continue;
            }
            defined.entry(name).or_default().push(path.display().to_string());
        }
    }
    for (name, places) in defined {
        assert!(places.len() <= 3, "{name} is defined in {places:?}");
    }
}

/// All of the server commits through `EnvironmentStore`, which bounds the time and tells pages, nodes and senders.
#[test]
fn only_the_environment_commits_to_the_store() {
    let folders = ["service", "panel", "server"].map(|name| format!("crates/{name}/src"));
    for path in folders.iter().flat_map(|folder| files(folder, "rs")) {
        let text = read(&path);
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let bare = ["payments.commit(", "payments().commit(", "Payments::commit("];
        let inside = path.ends_with("environment/store.rs");
        assert!(inside || !bare.iter().any(|call| text.contains(call)), "{} commits past it", path.display());
    }
}

/// What all pages of the panel share is below them, and a vendor's pages are below the operator's.
#[test]
fn no_page_of_the_panel_names_one_above_it() {
    let entries = fs::read_dir(root().join("crates/panel/src")).expect("a folder");
    let folders = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let names = folders.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned());
    let others: Vec<String> = names.filter(|name| name != "pages").collect();
    let operator = vec!["console".to_owned()];
    for (folder, above) in [("pages", &others), ("payments", &operator), ("catalog", &operator)] {
        let sources = files(&format!("crates/panel/src/{folder}"), "rs");
        for path in sources.iter().filter(|path| !path.iter().any(|part| part == "tests")) {
            let text = read(path);
            for name in above {
                let named =
                    [format!("crate::{name}::"), format!("crate::{{{name}::"), format!("\n    {name}::")];
                assert!(!named.iter().any(|named| text.contains(named)), "{} names {name}", path.display());
            }
        }
    }
}

#[test]
fn the_example_configuration_lists_every_setting_with_its_default() {
    let expected = Setting::example_file();
    let path = root().join("config.example.toml");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &expected).expect("written");
    }
    assert_eq!(
        read(&path),
        expected,
        "config.example.toml must be what settings/table.rs says; run with UPDATE=1"
    );
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = files("docs", "md");
    documents
        .extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|n| root().join(n)));
    for document in documents {
        let text = read(&document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = document.parent().expect("a folder").join(target);
            assert!(path.exists(), "{} links to {target}", document.display());
        }
    }
}

/// Phrases that no text for people has: a text says who does what, in the words of the trade.
const BANNED: [&str; 15] = [
    "is told",
    "are told",
    "be told",
    "was told",
    "were told",
    "mend",
    "mends",
    "mended",
    "go on",
    "goes on",
    "going on",
    "give on",
    "bought",
    "whoever",
    "somebody",
];

/// The words of a text, in lower case with one space around each. "Told apart" means something else.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    format!(" {words} ").replace(" told apart ", " distinguished ")
}

/// The code of a source file without its comments and its tests.
fn code(source: &str) -> String {
    let code = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.split("// ").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_text_has_a_banned_phrase() {
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for (folder, ending) in [
        ("crates/service/locales", "ftl"),
        ("docs", "md"),
        ("crates", "html"),
        ("crates/server/src/docs", "rs"),
    ] {
        texts.extend(files(folder, ending).into_iter().map(|path| (path.clone(), read(&path))));
    }
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "config.example.toml",
    ] {
        texts.push((root().join(name), read(&root().join(name))));
    }
    for name in ["domain", "store", "providers", "shop", "service", "panel", "server"] {
        let sources = files(&format!("crates/{name}/src"), "rs");
        texts.extend(sources.into_iter().map(|path| (path.clone(), code(&read(&path)))));
    }
    assert!(texts.len() > 500, "{}", texts.len());
    let mut found = Vec::new();
    for (path, text) in &texts {
        let text = words(text);
        let banned = BANNED.iter().filter(|phrase| text.contains(&format!(" {phrase} ")));
        found.extend(banned.map(|phrase| format!("{}: {phrase}", path.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_banned_phrase_is_found_across_lines_and_not_in_comments() {
    assert!(words("The vendor\n  **is told** at once").contains(" is told "));
    assert!(!words("two nodes are told apart").contains(" are told "));
    assert!(!words("amendment").contains(" mend "));
    assert!(!words(&code("let a = 1; // somebody\n#[cfg(test)]\nmod tests { mend }")).contains("mend"));
}
