//! Password hashing with Argon2id.
//!
//! A hash costs 19 MiB and tens of milliseconds on purpose, so the number computed at once and the number
//! waiting ([`super::queue`]) are bounded: a flood of log-ins slows nothing else down. An unknown user costs
//! as much work as a known one.

use super::queue::{Busy, Caller, Queue};
use crate::random;
use argon2::{Algorithm, Argon2, Block, Params, PasswordVerifier, Version, password_hash::phc::PasswordHash};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use std::{
    collections::HashSet,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};
use subtle::ConstantTimeEq;

/// The fewest characters of a new password.
pub const MIN_CHARS: usize = 12;

/// The most characters of a new password.
pub const MAX_CHARS: usize = 256;

/// The most bytes of any password; more is never hashed.
const MAX_BYTES: usize = 1024;

/// Argon2 cost parameters: memory in KiB, passes and lanes.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The hash compared with when there is no user, so that the work is the same. No password matches it.
const UNKNOWN_USER_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Common long passwords that attackers try first. Shorter ones are refused for their length.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("common.txt").lines().collect());

/// The result of checking a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// True if the password is right.
    pub ok: bool,
    /// True if the password is right but its hash was made with other parameters than a new one would be.
    pub needs_rehash: bool,
    /// Number of other hashes that were computed while this one waited.
    pub waited: u64,
}

/// The reason why a new password is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// Fewer than [`MIN_CHARS`].
    #[error("use at least {MIN_CHARS} characters")]
    TooShort,
    /// More than [`MAX_CHARS`].
    #[error("use at most {MAX_CHARS} characters")]
    TooLong,
    /// It is the user's e-mail address, or the part before the @.
    #[error("do not use your email address")]
    IsEmail,
    /// It is in the list of common passwords.
    #[error("this password is too common")]
    Common,
}

/// Makes and checks hashes, a limited number at once.
#[derive(Debug)]
pub struct Passwords {
    queue: Arc<Queue>,
    /// Buffers of finished hashes, reused: an allocator would keep some memory for every thread that ever
    /// ran.
    memory: Arc<Mutex<Vec<Memory>>>,
}

/// The working memory of one hash.
type Memory = Vec<Block>;

impl Passwords {
    /// Allows as many hashes at once as there are permits.
    #[must_use]
    pub fn new(permits: usize) -> Self {
        Self { queue: Queue::new(permits), memory: Arc::default() }
    }

    /// Hashes a password into its stored form.
    pub async fn hash(&self, caller: Caller, password: &SecretString) -> Result<String, Busy> {
        let password = password.clone();
        Ok(self.work(caller, move |memory| hash(&password, memory)).await?.0)
    }

    /// Compares a password with a stored hash. Without a stored hash the same work is done and the result is
    /// "wrong".
    pub async fn verify(
        &self,
        caller: Caller,
        password: &SecretString,
        stored: Option<&str>,
    ) -> Result<Verdict, Busy> {
        let (password, stored) = (password.clone(), stored.map(str::to_owned));
        let work = move |memory: &mut Memory| verify(&password, stored.as_deref(), memory);
        let (verdict, waited) = self.work(caller, work).await?;
        Ok(Verdict { waited, ..verdict })
    }

    /// Runs work when its turn comes, and returns how many others it waited for. Work that has begun keeps
    /// its turn until it ends, even if the caller disconnects.
    async fn work<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<(T, u64), Busy> {
        let turn = self.queue.turn(caller).await?;
        let pool = Arc::clone(&self.memory);
        let done = tokio::task::spawn_blocking(move || {
            let pool = || pool.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = pool().pop();
            let mut memory = kept.unwrap_or_else(new_memory);
            let result = work(&mut memory);
            pool().push(memory);
            let waited = turn.waited;
            // The closure owns the turn, so it ends here and not when the caller disconnects.
            drop(turn);
            (result, waited)
        });
        Ok(done.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
    }
}

/// Checks the length of a new password, and that it is neither the user's e-mail address nor a common
/// password. There are no rules about its characters.
pub fn check_new(password: &SecretString, email: &str) -> Result<(), Weakness> {
    let password = password.expose_secret();
    let chars = password.chars().count();
    if chars < MIN_CHARS {
        return Err(Weakness::TooShort);
    }
    if chars > MAX_CHARS || password.len() > MAX_BYTES {
        return Err(Weakness::TooLong);
    }
    let (password, email) = (password.trim().to_lowercase(), email.trim().to_lowercase());
    let local = email.split('@').next().unwrap_or_default();
    if password == email || password == local {
        return Err(Weakness::IsEmail);
    }
    let mut letters = password.chars();
    let first = letters.next();
    if COMMON.contains(password.as_str()) || letters.all(|letter| Some(letter) == first) {
        return Err(Weakness::Common);
    }
    Ok(())
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
        .unwrap_or_else(|_| unreachable!("these parameters are within Argon2's limits"));
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn new_memory() -> Memory {
    vec![Block::default(); argon2().params().block_count()]
}

/// Hashes these bytes with the current parameters.
fn derive(password: &[u8], salt: &[u8], memory: &mut Memory) -> Option<[u8; 32]> {
    let mut output = [0; 32];
    argon2().hash_password_into_with_memory(password, salt, &mut output, memory).ok()?;
    Some(output)
}

fn hash(password: &SecretString, memory: &mut Memory) -> String {
    let salt: [u8; 16] = random::bytes();
    let output = derive(bounded(password), &salt, memory)
        .unwrap_or_else(|| unreachable!("a short password and a salt of 16 bytes can be hashed"));
    let (salt, output) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(output));
    format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${output}")
}

fn verify(password: &SecretString, stored: Option<&str>, memory: &mut Memory) -> Verdict {
    let fits = password.expose_secret().len() <= MAX_BYTES;
    // An unreadable stored hash is treated like an unknown user.
    let parsed = stored.and_then(|stored| PasswordHash::new(stored).ok());
    let known = parsed.is_some() && fits;
    let nobody = || PasswordHash::new(UNKNOWN_USER_HASH).unwrap_or_else(|_| unreachable!("a test reads it"));
    let hash = parsed.unwrap_or_else(nobody);
    let current = is_current(&hash);
    let right = match (&hash.salt, &hash.hash) {
        (Some(salt), Some(output)) if current => derive(bounded(password), salt, memory)
            .is_some_and(|derived| bool::from(derived.as_slice().ct_eq(output.as_bytes()))),
        _ => argon2().verify_password(bounded(password), &hash).is_ok(),
    };
    let ok = right && known;
    Verdict { ok, needs_rehash: ok && !current, waited: 0 }
}

/// True if a hash was made with the current algorithm and parameters.
fn is_current(hash: &PasswordHash) -> bool {
    let algorithm = Algorithm::try_from(hash.algorithm.as_str());
    let params = Params::try_from(hash).map(|p| (p.m_cost(), p.t_cost(), p.p_cost()));
    algorithm == Ok(Algorithm::Argon2id)
        && hash.version == Some(Version::V0x13.into())
        && params == Ok((MEMORY_KIB, PASSES, LANES))
}

/// The bytes of a password that are hashed: all of them, up to [`MAX_BYTES`].
fn bounded(password: &SecretString) -> &[u8] {
    let bytes = password.expose_secret().as_bytes();
    &bytes[..bytes.len().min(MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::{super::queue::MAX_KNOWN, *};
    use argon2::PasswordHasher;
    use std::time::{Duration, Instant};

    fn secret(text: &str) -> SecretString {
        text.to_owned().into()
    }

    #[tokio::test]
    async fn a_password_is_recognised_by_its_hash_only() {
        let passwords = Passwords::new(2);
        let right = secret("correct horse battery");
        let stored = passwords.hash(Caller::Shell, &right).await.expect("a turn");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_ne!(
            stored,
            passwords.hash(Caller::Shell, &right).await.expect("a turn"),
            "each has its own salt"
        );
        let check = async |password: &SecretString, stored: Option<&str>| {
            let verdict = passwords.verify(Caller::Shell, password, stored).await.expect("a turn");
            assert!(!verdict.needs_rehash);
            verdict.ok
        };
        assert!(check(&right, Some(&stored)).await);
        assert!(!check(&secret("correct horse batterz"), Some(&stored)).await);
        assert!(!check(&secret(""), Some(&stored)).await);
        assert!(!check(&right, None).await);
        assert!(!check(&right, Some("not a hash")).await);
    }

    #[tokio::test]
    async fn what_is_longer_than_any_password_is_none() {
        let passwords = Passwords::new(2);
        let longest = secret(&"x".repeat(MAX_BYTES));
        let stored = passwords.hash(Caller::Shell, &longest).await.expect("a turn");
        let ok = async |password: &SecretString| {
            passwords.verify(Caller::Shell, password, Some(&stored)).await.map(|v| v.ok)
        };
        assert_eq!(ok(&longest).await, Ok(true));
        assert_eq!(
            ok(&secret(&"x".repeat(MAX_BYTES + 1))).await,
            Ok(false),
            "only its beginning is the same"
        );
    }

    #[tokio::test]
    async fn an_older_hash_is_right_and_wants_to_be_made_anew() {
        let params = Params::new(8 * 1024, 1, 1, None).expect("parameters");
        let old = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let old =
            old.hash_password_with_salt(b"correct horse battery", &[7; 16]).expect("a hash").to_string();
        let passwords = Passwords::new(1);
        let verdict = passwords.verify(Caller::Shell, &secret("correct horse battery"), Some(&old)).await;
        assert_eq!(verdict, Ok(Verdict { ok: true, needs_rehash: true, waited: 0 }));
        let verdict = passwords.verify(Caller::Shell, &secret("wrong"), Some(&old)).await;
        assert_eq!(verdict, Ok(Verdict { ok: false, needs_rehash: false, waited: 0 }));
    }

    #[test]
    fn t15_nobodys_hash_costs_what_a_users_does() {
        let nobody = PasswordHash::new(UNKNOWN_USER_HASH).expect("a hash");
        let user = hash(&secret("correct horse battery"), &mut new_memory());
        let user = PasswordHash::new(&user).expect("a hash");
        assert!(is_current(&nobody) && is_current(&user));
        let lengths = |h: &PasswordHash| (h.salt.map(|s| s.len()), h.hash.map(|h| h.len()));
        assert_eq!(lengths(&nobody), lengths(&user));
    }

    #[test]
    fn t15_an_unknown_user_takes_as_long_as_a_known_one() {
        let mut memory = new_memory();
        let stored = hash(&secret("correct horse battery"), &mut memory);
        let wrong = secret("something else entirely");
        let mut measure = |stored: Option<&str>| {
            let began = Instant::now();
            assert!(!verify(&wrong, stored, &mut memory).ok);
            began.elapsed()
        };
        // Measured alternately, so that other load on the machine affects both; the fastest of each counts.
        let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
        for _ in 0..12 {
            known = known.min(measure(Some(&stored)));
            unknown = unknown.min(measure(None));
        }
        // A wide tolerance, because tests run in parallel; without the work the time would be a thousandth.
        assert!(known < unknown * 2 && unknown < known * 2, "known {known:?}, unknown {unknown:?}");
    }

    /// The peak memory of this process, in KiB.
    fn peak_memory() -> u64 {
        let text = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line about memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[tokio::test]
    async fn t17_of_500_at_once_a_few_wait_the_rest_are_told_and_memory_is_bounded() {
        let passwords = Arc::new(Passwords::new(2));
        let stored: Arc<str> =
            passwords.hash(Caller::Shell, &secret("correct horse battery")).await.expect("a turn").into();
        let before = peak_memory();
        let mut crowd = tokio::task::JoinSet::new();
        for _ in 0..500 {
            let (passwords, stored) = (Arc::clone(&passwords), Arc::clone(&stored));
            crowd.spawn(async move {
                passwords.verify(Caller::Shell, &secret("something else entirely"), Some(&stored)).await
            });
        }
        let answers = crowd.join_all().await;
        let busy = answers.iter().filter(|answer| **answer == Err(Busy)).count();
        assert_eq!(busy, 500 - 2 - MAX_KNOWN);
        // Two at once need 38 MiB; all 34 would need 646.
        let grown = peak_memory().saturating_sub(before) / 1024;
        assert!(grown < 150, "{grown} MiB more");
        assert!(
            passwords.hash(Caller::Shell, &secret("correct horse battery")).await.is_ok(),
            "places come back"
        );
    }

    #[tokio::test]
    async fn t17_a_hash_that_was_begun_keeps_its_turn_though_its_caller_goes_away() {
        let passwords = Passwords::new(1);
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (finish, may_finish) = std::sync::mpsc::channel::<()>();
        let work = passwords.work(Caller::Shell, move |_| {
            begun.send(()).expect("the test waits");
            may_finish.recv().expect("the test says when");
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), work).await.is_err(), "the caller goes away");
        has_begun.recv().expect("it has begun");
        let password = secret("x");
        let mut second = Box::pin(passwords.verify(Caller::Shell, &password, None));
        assert!(
            tokio::time::timeout(Duration::from_millis(200), &mut second).await.is_err(),
            "one at a time"
        );
        finish.send(()).expect("it still works");
        assert_eq!(second.await.map(|verdict| verdict.waited), Ok(1));
    }

    #[tokio::test]
    async fn t17_who_goes_away_while_waiting_leaves_the_place_to_others() {
        let passwords = Passwords::new(1);
        for _ in 0..5 {
            let password = secret("x");
            let wait = passwords.verify(Caller::Shell, &password, None);
            let _ = tokio::time::timeout(Duration::ZERO, wait).await;
        }
        while !passwords.queue.is_idle() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[test]
    fn a_new_password_is_long_and_not_what_everybody_tries() {
        let check = |password: &str, expected: Result<(), Weakness>| {
            assert_eq!(check_new(&secret(password), "margarita.stone@shop.example"), expected, "{password}");
        };
        check("correct horse", Ok(()));
        check("дом у дороги", Ok(()));
        check("twelve chars", Ok(()));
        check("eleven char", Err(Weakness::TooShort));
        check(&"ab".repeat(128), Ok(()));
        check(&format!("{}c", "ab".repeat(128)), Err(Weakness::TooLong));
        check(&"🗺🧾".repeat(128), Ok(()));
        check("Margarita.Stone@shop.example", Err(Weakness::IsEmail));
        check("margarita.stone", Err(Weakness::IsEmail));
        check("margarita.stone and more", Ok(()));
        check("Password1234", Err(Weakness::Common));
        check("qwertyuiop123", Err(Weakness::Common));
        check("aaaaaaaaaaaaaaaa", Err(Weakness::Common));
    }

    #[test]
    fn the_list_of_common_passwords_holds_only_what_length_would_let_pass() {
        assert!(COMMON.len() >= 80, "{}", COMMON.len());
        for password in COMMON.iter() {
            assert!(password.chars().count() >= MIN_CHARS, "{password}");
            assert_eq!(*password, password.to_lowercase(), "compared in lower case");
        }
    }
}
