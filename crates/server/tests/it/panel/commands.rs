//! The table of docs/operations.md that puts the console beside the commands: every request of the console is in it
//! once, and every command and option in it exists.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};
use till_panel as panel;

const DOCUMENT: &str = include_str!("../../../../../docs/operations.md");

/// The cells of the table, row by row: requests and commands.
fn rows() -> Vec<(Vec<String>, Vec<String>)> {
    let lines = DOCUMENT.lines().skip_while(|line| !line.starts_with("| in the console |")).skip(2);
    let codes = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    lines
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), 3, "{line}");
            (codes(cells[1]), codes(cells[2]))
        })
        .collect()
}

#[test]
fn every_request_of_the_console_has_a_command_beside_it() {
    let mut listed = BTreeMap::<String, usize>::new();
    for (requests, commands) in rows() {
        assert!(!commands.is_empty(), "{requests:?} has no command");
        for request in requests {
            *listed.entry(request).or_default() += 1;
        }
    }
    let routes = panel::routes();
    let console = routes.iter().filter(|route| route.path.starts_with("/operator"));
    let served: BTreeSet<_> = console.map(|route| format!("{} {}", route.method, route.path)).collect();
    let missing: Vec<_> = served.iter().filter(|route| listed.get(*route) != Some(&1)).collect();
    assert!(missing.is_empty(), "not exactly once in docs/operations.md: {missing:#?}");
    let unknown: Vec<_> = listed.keys().filter(|route| !served.contains(*route)).collect();
    assert!(unknown.is_empty(), "no such request: {unknown:#?}");
}

#[test]
fn every_command_and_option_beside_the_console_exists() {
    let commands: BTreeSet<_> = rows().into_iter().flat_map(|(_, commands)| commands).collect();
    for command in &commands {
        let words = command.strip_prefix("till ").unwrap_or_else(|| panic!("{command} is no command"));
        let (options, words): (Vec<_>, Vec<_>) = words.split(' ').partition(|word| word.starts_with("--"));
        let mut till = Command::new(env!("CARGO_BIN_EXE_till"));
        let help = till.env_clear().args(&words).arg("--help").output().expect("the binary runs");
        let text = String::from_utf8(help.stdout).expect("text");
        assert!(help.status.success(), "{command} does not exist");
        assert!(text.contains(&format!("Usage: till {}", words.join(" "))), "{command}: {text}");
        for option in options.into_iter().chain(["--json"]) {
            let is_listed = text.lines().any(|line| line.split([' ', ',']).any(|word| word == option));
            assert!(is_listed, "{command} has no option {option}");
        }
    }
    assert!(commands.len() > 40, "{} commands", commands.len());
}
