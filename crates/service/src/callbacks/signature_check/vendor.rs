//! A check with what Till knows of a vendor: its secrets, and the events that it was sent.

use super::{KnownSecret, SecretUse, SentEvent, SignatureCheck, SignatureReport, bodies};
use crate::{environment::Environment, vault::SecretPlace};
use till_domain::{
    credential::{self, Credential},
    id::{EventId, VendorId},
};
use till_store::{SealedCredential, StoreError};
use tokio::sync::Semaphore;

/// One check runs at a time: it is work for the processor, and payments come first.
static TURNS: Semaphore = Semaphore::const_new(1);

/// A signature that a vendor wants to have examined.
#[derive(Debug)]
pub struct VendorSignature {
    pub vendor: VendorId,
    pub signature: String,
    pub body: Vec<u8>,
    /// The token of the call, if it came by the API.
    pub token: Option<String>,
}

impl VendorSignature {
    /// Examines it with the secrets of the vendor. Nothing is sent, and nothing is kept.
    pub async fn check(self, environment: &Environment) -> Result<SignatureReport, StoreError> {
        let sealed = environment.directory.accounts().credentials(self.vendor).await?;
        let secrets = known_secrets(environment, self.vendor, &sealed);
        let (sent, now) = (self.sent(environment).await?, environment.calendar());
        let examine = move || {
            let check = SignatureCheck {
                signature: &self.signature,
                body: &self.body,
                secrets: &secrets,
                token: self.token.as_deref(),
                sent: sent.as_ref(),
                now,
            };
            check.run()
        };
        let _turn = TURNS.acquire().await;
        let examined = tokio::task::spawn_blocking(examine).await;
        Ok(examined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
    }

    /// What Till sent of the event of the body.
    async fn sent(&self, environment: &Environment) -> Result<Option<SentEvent>, StoreError> {
        let Some(id) = bodies::event(&self.body).and_then(|event| EventId::parse(&event.id)) else {
            return Ok(None);
        };
        let stored = environment.store.event(id).await?;
        let Some(event) = stored.filter(|event| event.vendor == self.vendor) else { return Ok(None) };
        let attempts = environment.store.attempts(id).await?;
        let at = attempts.iter().map(|attempt| attempt.started_at).collect();
        Ok(Some(SentEvent { body: event.body, at }))
    }
}

/// The secrets of a vendor, first the one that signs here and now. Those that cannot be decrypted are left out.
fn known_secrets(
    environment: &Environment,
    vendor: VendorId,
    sealed: &[SealedCredential],
) -> Vec<KnownSecret> {
    let pairs: Vec<Credential> = sealed.iter().map(|sealed| sealed.credential.clone()).collect();
    let signers = credential::signers(&pairs, environment.name, environment.now());
    let use_of = |pair: &Credential| match signers {
        _ if pair.environment != environment.name => SecretUse::OtherEnvironment,
        Some((first, _)) if first == pair.number => SecretUse::Signature,
        Some((_, Some(other))) if other == pair.number => SecretUse::Alternate,
        _ => SecretUse::Ended,
    };
    let mut secrets: Vec<KnownSecret> = sealed
        .iter()
        .filter_map(|sealed| {
            let pair = &sealed.credential;
            let place = SecretPlace { environment: pair.environment, vendor, number: pair.number };
            let secret = environment.vault.open(place, &sealed.secret_sealed).ok()?;
            Some(KnownSecret { secret, client_id: pair.client_id.clone(), used_for: use_of(pair) })
        })
        .collect();
    secrets.sort_by_key(|secret| secret.used_for);
    secrets
}
