//! Fuzzing: a target gets mutated valid inputs, and must neither panic nor break the rules it asserts.
//!
//! `./test` runs each target with the same inputs every time, for about a second; `./test long` runs each for
//! a minute, with new inputs. A failing input is shrunk before it is shown.

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of inputs between two checks of the time.
const ROUND: u32 = 64;

/// The longest input; a mutation that repeats a part is cut here.
const MAX_LENGTH: usize = 64 * 1024;

/// The number of rounds of a target in `./test`: about a second for most targets.
const ROUNDS: u64 = 60;

/// The duration of a target in `./test long`.
const LONG: Duration = Duration::from_secs(60);

/// The environment variable with the number of the first round, to repeat one that failed.
const FIRST_ROUND: &str = "TILL_FUZZ_ROUND";

/// The number of the first round: the same in `./test`, another each time in `./test long`.
fn first_round() -> u64 {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let named = std::env::var(FIRST_ROUND).ok().and_then(|round| round.parse().ok());
    named.unwrap_or_else(|| if crate::is_long() { now() << 20 } else { 0 })
}

/// A change of an input.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(Index, u8),
    Insert(Index, Vec<u8>),
    Delete(Index, usize),
    Truncate(Index),
    Repeat { from: Index, length: usize, times: usize },
    Copy { from: Index, length: usize, to: Index },
}

/// Bytes that parsers treat specially, and some that no text has.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let special = b"\0\t\n\r \"#%&',-./0:;<=>?@[\\]_`{|}~\x7f\x80\xc3\xff";
    prop_oneof![
        3 => select(special.to_vec()).prop_map(|byte| vec![byte]),
        1 => vec(any::<u8>(), 1..8),
        1 => any::<char>().prop_map(|char| char.to_string().into_bytes()),
    ]
}

fn mutation(words: Vec<Vec<u8>>) -> impl Strategy<Value = Mutation> {
    let inserted =
        if words.is_empty() { bytes().boxed() } else { prop_oneof![bytes(), select(words)].boxed() };
    let place = any::<Index>;
    prop_oneof![
        1 => (place(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        3 => (place(), inserted).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => (place(), 1_usize..16).prop_map(|(at, length)| Mutation::Delete(at, length)),
        1 => place().prop_map(Mutation::Truncate),
        1 => (place(), 1_usize..32, 1_usize..300)
            .prop_map(|(from, length, times)| Mutation::Repeat { from, length, times }),
        1 => (place(), 1_usize..64, place()).prop_map(|(from, length, to)| Mutation::Copy { from, length, to }),
    ]
}

fn mutate(mut input: Vec<u8>, mutation: &Mutation) -> Vec<u8> {
    let place = |at: &Index, length: usize| at.index(length + 1);
    let part = |input: &[u8], from: &Index, length: usize| {
        let from = place(from, input.len());
        input.iter().copied().skip(from).take(length).collect::<Vec<u8>>()
    };
    let insert = |input: &mut Vec<u8>, at: usize, bytes: &[u8]| {
        input.splice(at..at, bytes.iter().copied());
    };
    let length = input.len();
    match mutation {
        Mutation::Replace(at, byte) => {
            if let Some(found) = input.get_mut(place(at, length)) {
                *found = *byte;
            }
        }
        Mutation::Insert(at, bytes) => insert(&mut input, place(at, length), bytes),
        Mutation::Delete(at, count) => {
            let from = place(at, length);
            input.drain(from..(from + count).min(length));
        }
        Mutation::Truncate(at) => input.truncate(place(at, length)),
        Mutation::Repeat { from, length: count, times } => {
            let repeated = part(&input, from, *count).repeat(*times);
            insert(&mut input, place(from, length), &repeated);
        }
        Mutation::Copy { from, length: count, to } => {
            let copied = part(&input, from, *count);
            insert(&mut input, place(to, length), &copied);
        }
    }
    input.truncate(MAX_LENGTH);
    input
}

/// Valid inputs with a few mutations each; `words` are among the inserted texts.
pub fn mutated<S: AsRef<[u8]>>(seeds: &[S], words: &[&str]) -> impl Strategy<Value = Vec<u8>> + use<S> {
    let owned = |bytes: &[u8]| bytes.to_vec();
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|seed| owned(seed.as_ref())).collect();
    let words: Vec<Vec<u8>> = words.iter().map(|word| owned(word.as_bytes())).collect();
    (select(seeds), vec(mutation(words), 0..6))
        .prop_map(|(seed, mutations)| mutations.iter().fold(seed, mutate))
}

/// Runs a target with mutated seeds.
///
/// # Panics
/// With the smallest input found that makes the target panic.
pub fn bytes_target<S: AsRef<[u8]>>(seeds: &[S], words: &[&str], target: impl Fn(&[u8])) {
    let inputs = mutated(seeds, words);
    let (began, first) = (Instant::now(), first_round());
    for round in first.. {
        let mut seed = [0_u8; 32];
        seed[..8].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let config = Config { cases: ROUND, failure_persistence: None, ..Config::default() };
        let result = TestRunner::new_with_rng(config, rng).run(&inputs, |input| {
            target(&input);
            Ok(())
        });
        match result {
            Ok(()) => {}
            Err(TestError::Fail(reason, input)) => {
                panic!(
                    "{reason}\n{FIRST_ROUND}={round} repeats it; input: {:?}",
                    String::from_utf8_lossy(&input)
                );
            }
            Err(TestError::Abort(reason)) => panic!("round {round}: {reason}"),
        }
        let ended = if crate::is_long() { began.elapsed() > LONG } else { round >= first + ROUNDS };
        if ended {
            break;
        }
    }
}

/// Runs a target that takes text: invalid UTF-8 is replaced, as a lenient reader would do.
pub fn text_target<S: AsRef<[u8]>>(seeds: &[S], words: &[&str], target: impl Fn(&str)) {
    bytes_target(seeds, words, |input| target(&String::from_utf8_lossy(input)));
}

/// True if a text contains eight consecutive characters of a secret.
#[must_use]
pub fn repeats(text: &str, secrets: &[&str]) -> bool {
    let parts = secrets.iter().flat_map(|secret| secret.as_bytes().windows(8));
    parts.into_iter().any(|part| text.as_bytes().windows(8).any(|window| window == part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn f26_a_defect_is_found_and_its_input_made_small() {
        let found = catch_unwind(|| {
            bytes_target(&["a plain text"], &["{}"], |input| {
                assert!(!input.windows(2).any(|pair| pair == b"{}"), "braces");
            });
        });
        let message = *found.expect_err("it is found").downcast::<String>().expect("a text");
        assert!(message.contains("braces") && message.contains("{}"), "{message}");
        let input = message.split("input: ").nth(1).expect("the input");
        assert!(input.len() <= "\"a plain text{}\"".len(), "{input}");
    }
}
