//! The signature doctor: finds the mistake in a signature that a vendor computed over the body of a callback.
//!
//! It tries what developers do by accident: another key, another algorithm, a body that was changed before it was signed,
//! another notation. A guess with fewer mistakes is preferred. Nothing is returned but the names of the mistakes.

mod bodies;
mod diagnosis;
mod digests;
mod json;
mod keys;
mod notations;
mod standard_webhooks;
mod vendor;

pub use diagnosis::{Diagnosis, Mistake};
pub use keys::{KnownSecret, SecretUse};
pub use vendor::VendorSignature;

use bodies::BodyGuess;
use digests::Algorithm;
use keys::KeyGuess;
use notations::Notation;
use secrecy::ExposeSecret as _;
use till_domain::time::Timestamp;

/// Longer texts are no signatures.
const LONGEST: usize = 512;

/// A signature to examine.
#[derive(Debug)]
pub struct SignatureCheck<'a> {
    /// The signature that the vendor computed.
    pub signature: &'a str,
    /// The body that it was computed over.
    pub body: &'a [u8],
    /// The vendor's secrets, first the one that signs.
    pub secrets: &'a [KnownSecret],
    /// The token of the call, which some use as the key.
    pub token: Option<&'a str>,
    /// What Till sent, if the event of the body is known.
    pub sent: Option<&'a SentEvent>,
    pub now: Timestamp,
}

/// What Till sent of an event.
#[derive(Debug)]
pub struct SentEvent {
    pub body: Vec<u8>,
    /// When each attempt was made.
    pub at: Vec<Timestamp>,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureReport {
    /// True if it is a signature with which Till signs this body now.
    pub right: bool,
    /// What is wrong, or that nothing is.
    pub diagnoses: Vec<Diagnosis>,
}

impl SignatureCheck<'_> {
    #[must_use]
    pub fn run(&self) -> SignatureReport {
        let notations =
            if self.signature.len() > LONGEST { Vec::new() } else { notations::read(self.signature) };
        if notations.is_empty() {
            return wrong(vec![Mistake::NotASignature.into()]);
        }
        let keys = keys::guesses(self.secrets, self.token);
        let bodies = bodies::guesses(self.body, self.sent.map(|sent| &*sent.body));
        let found = best(&notations, |notation| self.explain(notation, &keys, &bodies));
        match found {
            None => wrong(vec![Mistake::NothingFound.into()]),
            Some(diagnoses) if diagnoses.is_empty() => {
                SignatureReport { right: true, diagnoses: vec![Mistake::None.into()] }
            }
            Some(diagnoses) => {
                let right = diagnoses.iter().all(|diagnosis| diagnosis.mistake == Mistake::AlternateSecret);
                SignatureReport { right, diagnoses }
            }
        }
    }

    /// The mistakes that lead to these bytes.
    fn explain(
        &self,
        notation: &Notation,
        keys: &[KeyGuess],
        bodies: &[BodyGuess],
    ) -> Option<Vec<Diagnosis>> {
        let search = Search { notation, keys, bodies };
        let found = search.with_one_body(&bodies[..1]).or_else(|| search.with_one_body(&bodies[1..]));
        found.or_else(|| self.standard_webhooks(notation, keys)).or_else(|| search.truncated())
    }

    /// A signature of Standard Webhooks, which covers id and time besides the body.
    fn standard_webhooks(&self, notation: &Notation, keys: &[KeyGuess]) -> Option<Vec<Diagnosis>> {
        if notation.bytes.len() != Algorithm::HmacSha256.length() {
            return None;
        }
        let event = bodies::event(self.body)?;
        let times = standard_webhooks::times(event.occurred_at, self.sent, self.now);
        let working = keys.iter().filter(|key| key.is_working());
        for key in working {
            let is_signed = times.iter().any(|seconds| {
                let start = format!("{}.{seconds}.", event.id);
                Algorithm::HmacSha256.digest(key.bytes.expose_secret(), &[start.as_bytes(), self.body])
                    == notation.bytes
            });
            if is_signed {
                // Its notation is base64 with a version, so that these are no mistakes.
                return Some(vec![Mistake::StandardWebhooks.into()]);
            }
        }
        None
    }
}

fn wrong(diagnoses: Vec<Diagnosis>) -> SignatureReport {
    SignatureReport { right: false, diagnoses }
}

/// The explanation with the fewest mistakes.
fn best(
    notations: &[Notation],
    explain: impl Fn(&Notation) -> Option<Vec<Diagnosis>>,
) -> Option<Vec<Diagnosis>> {
    let all = notations.iter().filter_map(explain);
    all.min_by_key(Vec::len)
}

/// The guesses for one reading of a signature.
struct Search<'a> {
    notation: &'a Notation,
    keys: &'a [KeyGuess],
    bodies: &'a [BodyGuess],
}

impl Search<'_> {
    /// Tries every key and algorithm with these bodies; with a changed body at most one of both may be wrong.
    fn with_one_body(&self, bodies: &[BodyGuess]) -> Option<Vec<Diagnosis>> {
        let mut found: Option<Vec<Diagnosis>> = None;
        for body in bodies {
            for key in self.keys {
                for algorithm in Algorithm::ALL {
                    let mistakes = self.mistakes(key, algorithm, body);
                    let is_better = found.as_ref().is_none_or(|found| mistakes.len() < found.len());
                    let is_likely = body.mistakes.is_empty() || key.is_working() || algorithm.is_right();
                    if is_likely
                        && is_better
                        && algorithm.length() == self.notation.bytes.len()
                        && algorithm.digest(key.bytes.expose_secret(), &[&body.bytes]) == self.notation.bytes
                    {
                        found = Some(mistakes);
                    }
                }
            }
        }
        found
    }

    /// The beginning of the right signature.
    fn truncated(&self) -> Option<Vec<Diagnosis>> {
        let bytes = &self.notation.bytes;
        let (right, key) = (self.bodies.first()?, self.keys.iter().find(|key| key.is_working())?);
        let whole = Algorithm::HmacSha256.digest(key.bytes.expose_secret(), &[&right.bytes]);
        (bytes.len() < whole.len() && whole.starts_with(bytes)).then(|| {
            let mut mistakes = self.notation.diagnoses();
            mistakes.push(Mistake::Truncated.into());
            mistakes
        })
    }

    fn mistakes(&self, key: &KeyGuess, algorithm: Algorithm, body: &BodyGuess) -> Vec<Diagnosis> {
        let mut mistakes = self.notation.diagnoses();
        mistakes.extend(key.diagnosis.clone());
        mistakes.extend(algorithm.mistake().map(Diagnosis::from));
        mistakes.extend(body.mistakes.iter().map(|mistake| Diagnosis::from(*mistake)));
        mistakes
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/signature_check.rs"]
mod tests;
