//! Runs seeds in processes of their own, two at a time, and collects their reports.

use crate::{conditions::Conditions, driver::Simulation};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::Write as _,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
};
use till_domain::defect::Defect;

const SEED: &str = "SIMULATION_SEED";
const PAYMENTS: &str = "SIMULATION_PAYMENTS";
const DEFECT: &str = "SIMULATION_DEFECT";
const CONDITIONS: &str = "SIMULATION_CONDITIONS";
const REPORT: &str = "SIMULATION_REPORT";

/// Processes at once: as many as the machine has processors.
const AT_ONCE: usize = 2;

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub seed: u64,
    pub payments: usize,
    pub defect: Option<Defect>,
    pub conditions: Conditions,
}

impl Job {
    /// A run of the code as it is, in the usual conditions.
    pub fn new(seed: u64, payments: usize) -> Self {
        Self { seed, payments, defect: None, conditions: Conditions::Usual }
    }

    pub fn from_environment() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|value| value.parse().expect("a number"));
        let named = std::env::var(DEFECT).ok().filter(|name| !name.is_empty());
        let defect = named.map(|name| {
            let found = Defect::ALL.iter().find(|defect| format!("{defect:?}") == name);
            *found.unwrap_or_else(|| panic!("there is no defect {name}"))
        });
        let payments = usize::try_from(number(PAYMENTS).unwrap_or(1_000)).expect("a number");
        let is_harsh = std::env::var(CONDITIONS).is_ok_and(|word| word == "harsh");
        let conditions = if is_harsh { Conditions::Harsh } else { Conditions::Usual };
        Self { seed: number(SEED).unwrap_or(1), payments, defect, conditions }
    }

    /// How to repeat it.
    pub fn advice(&self) -> String {
        let defect = self.defect.map_or_else(String::new, |defect| format!(" {DEFECT}={defect:?}"));
        let conditions = self.word();
        format!(
            "seed {seed} failed; repeat it with {SEED}={seed} {PAYMENTS}={payments} {CONDITIONS}={conditions}{defect} cargo test --workspace --test it \
             one_seed -- --ignored",
            seed = self.seed,
            payments = self.payments
        )
    }

    fn word(&self) -> &'static str {
        match self.conditions {
            Conditions::Usual => "usual",
            Conditions::Harsh => "harsh",
        }
    }

    pub fn write(&self, report: &Report) {
        if let Ok(path) = std::env::var(REPORT) {
            std::fs::write(path, report.to_json().to_string()).expect("a report");
        }
    }

    fn run(&self) -> Report {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut command = Command::new(std::env::current_exe().expect("a program"));
        command
            .args(["one_seed", "--exact", "--ignored", "--nocapture"])
            .env(SEED, self.seed.to_string())
            .env(PAYMENTS, self.payments.to_string())
            .env(DEFECT, self.defect.map_or_else(String::new, |defect| format!("{defect:?}")))
            .env(CONDITIONS, self.word())
            .env(REPORT, file.path())
            .stdin(Stdio::null());
        let ended = command.output().expect("a process");
        let written = std::fs::read_to_string(file.path()).expect("a file");
        serde_json::from_str(&written).map(|report| Report::from_json(&report)).unwrap_or_else(|_| {
            // It panicked.
            let text = String::from_utf8_lossy(&ended.stderr).into_owned();
            Report { wrong: vec![text], ..Report::default() }
        })
    }
}

/// What a run found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub wrong: Vec<String>,
    /// What happened, and how often.
    pub tally: BTreeMap<String, u64>,
    /// Changes that were committed, of each kind.
    pub committed: BTreeMap<String, u64>,
    /// A hash of everything that vendors and the bank saw.
    digest: String,
}

impl Report {
    pub fn new(simulation: &Simulation, wrong: &[String]) -> Self {
        let tally =
            simulation.tally.numbers().into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
        let digest = hex::encode(Sha256::digest(simulation.seen()));
        Self { wrong: wrong.to_vec(), tally, committed: till_store::simulation::committed(), digest }
    }

    fn to_json(&self) -> Value {
        json!({ "wrong": self.wrong, "tally": self.tally, "committed": self.committed, "digest": self.digest })
    }

    fn from_json(report: &Value) -> Self {
        let numbers = |name: &str| {
            let object = report[name].as_object().into_iter().flatten();
            object.map(|(name, number)| (name.clone(), number.as_u64().unwrap_or_default())).collect()
        };
        let wrong = report["wrong"].as_array().into_iter().flatten();
        Self {
            wrong: wrong.filter_map(|text| text.as_str().map(str::to_owned)).collect(),
            tally: numbers("tally"),
            committed: numbers("committed"),
            digest: report["digest"].as_str().unwrap_or_default().to_owned(),
        }
    }
}

/// Runs all jobs, and returns their reports in the same order.
pub fn all(jobs: Vec<Job>) -> Vec<(Job, Report)> {
    let done = Mutex::new(BTreeMap::new());
    let waiting = Mutex::new(jobs.into_iter().enumerate());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((number, job)) = next else { break };
                    let report = job.run();
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(number, (job, report));
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// The kinds of changes, as the domain names them.
pub fn changes() -> Vec<&'static str> {
    let source = include_str!("../../../domain/src/change.rs");
    let list =
        source.split("pub enum Change {").nth(1).expect("the list").split("\n}").next().expect("its end");
    let names = list.lines().filter_map(|line| line.strip_prefix("    "));
    let names = names.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    names.filter_map(|line| line.split(|c: char| !c.is_alphanumeric()).next()).collect()
}

/// Adds figures for docs/reliability.md to a file, if a variable names one.
pub fn keep_figures(figures: &Value) {
    if let Ok(path) = std::env::var("SIMULATION_FIGURES") {
        let mut file = File::options().create(true).append(true).open(path).expect("a file");
        writeln!(file, "{figures}").expect("a write");
    }
}
