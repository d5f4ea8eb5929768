//! Cryptography with the master key: secrets encrypted at rest, checks of presented secrets, tokens.
//!
//! Each use has its own key, derived from the master key, so that they cannot be confused. While the master key is being
//! rotated there are two: the vault reads with both and seals and signs with the one that the store says is in use.
//! Nothing here reads a setting or a row.

use crate::random;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretBox, SecretString};
use sha2::Sha256;
use std::sync::atomic::{AtomicBool, Ordering};
use subtle::{Choice, ConstantTimeEq};
use till_domain::{
    credential::{CLAIMS_LEN, Claims},
    environment::EnvironmentName,
    id::{MailId, VendorId},
};

/// The operator's key: 32 bytes that are kept outside the database.
pub struct MasterKey(SecretBox<[u8; 32]>);

impl MasterKey {
    /// Parses 64 hex digits or base64 of 32 bytes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bytes = hex::decode(text).ok().or_else(|| STANDARD.decode(text).ok())?;
        let bytes: [u8; 32] = bytes.try_into().ok()?;
        Some(Self(SecretBox::new(Box::new(bytes))))
    }

    /// True if it was typed and not drawn at random: all differences between neighbouring bytes are equal, as
    /// with zeros and sequences.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        let bytes = self.0.expose_secret();
        let step = bytes[1].wrapping_sub(bytes[0]);
        bytes.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step)
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(hidden)")
    }
}

/// Encrypts secrets, checks presented ones and signs tokens.
pub struct Vault {
    /// The keys of `TILL_MASTER_KEY`.
    current: DerivedKeys,
    /// The keys of `TILL_MASTER_KEY_PREVIOUS`.
    previous: Option<DerivedKeys>,
    /// True until the store was switched to the current key.
    uses_previous: AtomicBool,
}

/// The keys that are derived from one master key.
pub struct DerivedKeys {
    /// A name of the master key that does not reveal it.
    id: String,
    seal: XChaCha20Poly1305,
    check: Hmac<Sha256>,
    tokens: [Hmac<Sha256>; 2],
    simulators: [[u8; 32]; 2],
    browser_tokens: Hmac<Sha256>,
}

impl std::fmt::Debug for DerivedKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DerivedKeys({})", self.id)
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(hidden)")
    }
}

/// An encrypted text that this vault cannot decrypt: it was encrypted with another master key, or changed.
#[derive(Debug, thiserror::Error)]
#[error("a stored secret cannot be decrypted: it was encrypted with another master key, or modified")]
pub struct CannotOpen;

/// The row that an encrypted secret belongs to (associated data); it cannot be decrypted as another's.
#[derive(Debug, Clone, Copy)]
pub struct SecretPlace {
    /// The environment of the credential.
    pub environment: EnvironmentName,
    pub vendor: VendorId,
    pub number: u32,
}

impl SecretPlace {
    pub(crate) fn associated_data(self) -> String {
        format!("credentials/{}/{}/{}", self.environment, self.vendor, self.number)
    }
}

const NONCE_LEN: usize = 24;
const MAC_LEN: usize = 32;

/// The text that is encrypted to recognise the right master key.
const KEY_CHECK: &str = "till";
const KEY_CHECK_PLACE: &str = "key_check";

impl DerivedKeys {
    fn new(master: &MasterKey) -> Self {
        let keys = Hkdf::<Sha256>::new(None, master.0.expose_secret());
        let derive = |label: &str| {
            let mut key = [0; 32];
            keys.expand(label.as_bytes(), &mut key).expect("32 bytes are within what HKDF can expand");
            key
        };
        let hmac = |label: &str| {
            <Hmac<Sha256> as KeyInit>::new_from_slice(&derive(label)).expect("HMAC takes keys of any length")
        };
        Self {
            id: hex::encode(&derive("till/key-id/1")[..8]),
            seal: XChaCha20Poly1305::new(&derive("till/seal/1").into()),
            check: hmac("till/secret-check/1"),
            tokens: [hmac("till/token/live/1"), hmac("till/token/sandbox/1")],
            simulators: [derive("till/simulator/live/1"), derive("till/simulator/sandbox/1")],
            browser_tokens: hmac("till/door/1"),
        }
    }

    fn encrypt(&self, associated_data: &str, text: &str) -> Vec<u8> {
        let nonce: [u8; NONCE_LEN] = random::bytes();
        let payload = Payload { msg: text.as_bytes(), aad: associated_data.as_bytes() };
        let encrypted = self.seal.encrypt(&XNonce::from(nonce), payload).expect("a short text can be sealed");
        [nonce.as_slice(), &encrypted].concat()
    }

    fn decrypt(&self, associated_data: &str, sealed: &[u8]) -> Result<String, CannotOpen> {
        let (nonce, encrypted) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(CannotOpen)?;
        let payload = Payload { msg: encrypted, aad: associated_data.as_bytes() };
        let bytes = self.seal.decrypt(&XNonce::from(*nonce), payload).map_err(|_| CannotOpen)?;
        String::from_utf8(bytes).map_err(|_| CannotOpen)
    }

    fn is_key_check(&self, sealed: &[u8]) -> bool {
        self.decrypt(KEY_CHECK_PLACE, sealed).is_ok_and(|text| text == KEY_CHECK)
    }

    /// A keyed hash of a client secret, by which a presented one is recognised.
    fn secret_check(&self, secret: &str) -> [u8; 32] {
        self.check.clone().chain_update(secret.as_bytes()).finalize().into_bytes().into()
    }

    fn token_mac(&self, environment: EnvironmentName, claims: &[u8]) -> Hmac<Sha256> {
        let key = match environment {
            EnvironmentName::Live => &self.tokens[0],
            EnvironmentName::Sandbox => &self.tokens[1],
        };
        key.clone().chain_update(claims)
    }

    /// A keyed hash of a token that a browser presents: a cookie or a link. Tokens of one kind are not
    /// accepted as another.
    #[must_use]
    pub fn browser_token_check(&self, kind: &str, token: &[u8]) -> [u8; 32] {
        self.browser_tokens
            .clone()
            .chain_update(kind)
            .chain_update([0])
            .chain_update(token)
            .finalize()
            .into_bytes()
            .into()
    }
}

impl Vault {
    #[must_use]
    pub fn new(master: &MasterKey) -> Self {
        Self { current: DerivedKeys::new(master), previous: None, uses_previous: AtomicBool::new(false) }
    }

    /// The same with the key that was in use before. Which of the two is in use, the store says ([`Vault::adopt`]).
    #[must_use]
    pub fn with_previous(self, previous: Option<&MasterKey>) -> Self {
        Self { previous: previous.map(DerivedKeys::new), ..self }
    }

    /// The name of the current master key.
    #[must_use]
    pub fn current_key(&self) -> &str {
        &self.current.id
    }

    /// The name of the previous master key, if there is one.
    #[must_use]
    pub fn previous_key(&self) -> Option<&str> {
        self.previous.as_ref().map(|keys| keys.id.as_str())
    }

    /// True if the current key is in use, and not the previous one.
    #[must_use]
    pub fn uses_current(&self) -> bool {
        std::ptr::eq(self.used(), &self.current)
    }

    /// The keys to read with: first those in use, then the others.
    pub fn keys(&self) -> impl Iterator<Item = &DerivedKeys> {
        let used = self.used();
        let current = (!std::ptr::eq(used, &self.current)).then_some(&self.current);
        let previous = self.previous.as_ref().filter(|keys| !std::ptr::eq(used, *keys));
        [Some(used), current, previous].into_iter().flatten()
    }

    /// The keys to seal and sign with.
    fn used(&self) -> &DerivedKeys {
        match &self.previous {
            Some(previous) if self.uses_previous.load(Ordering::Relaxed) => previous,
            _ => &self.current,
        }
    }

    /// The names of the known master keys, the one in use first.
    #[must_use]
    pub fn key_names(&self) -> Vec<&str> {
        self.keys().map(|keys| keys.id.as_str()).collect()
    }

    /// Uses the key that the store's check value was encrypted with. False if it is none of the known ones.
    pub fn adopt(&self, key_check: &[u8]) -> bool {
        let previous = !self.current.is_key_check(key_check);
        if previous && !self.previous.as_ref().is_some_and(|keys| keys.is_key_check(key_check)) {
            return false;
        }
        self.uses_previous.store(previous, Ordering::Relaxed);
        true
    }

    /// The key with which the simulated bank of an environment signs its notices.
    #[must_use]
    pub fn simulator_key(&self, environment: EnvironmentName) -> [u8; 32] {
        let [live, sandbox] = self.used().simulators;
        match environment {
            EnvironmentName::Live => live,
            EnvironmentName::Sandbox => sandbox,
        }
    }

    /// Encrypts a client secret for one row, and makes its check value with the same key.
    #[must_use]
    pub fn seal(&self, place: SecretPlace, secret: &SecretString) -> SealedSecret {
        let (keys, secret) = (self.used(), secret.expose_secret());
        let sealed = keys.encrypt(&place.associated_data(), secret);
        SealedSecret { sealed, check: keys.secret_check(secret) }
    }

    /// Decrypts a client secret that was encrypted for the same row.
    pub fn open(&self, place: SecretPlace, sealed: &[u8]) -> Result<SecretString, CannotOpen> {
        self.decrypt(&place.associated_data(), sealed).map(SecretString::from)
    }

    /// Encrypts the text of a mail, for that mail only.
    #[must_use]
    pub fn seal_mail(&self, id: MailId, body: &str) -> Vec<u8> {
        self.encrypt(&mail_place(id), body)
    }

    /// Decrypts the text of a mail.
    pub fn open_mail(&self, id: MailId, sealed: &[u8]) -> Result<SecretString, CannotOpen> {
        self.decrypt(&mail_place(id), sealed).map(SecretString::from)
    }

    /// An encrypted text by which the current master key is recognised later.
    #[must_use]
    pub fn seal_key_check(&self) -> Vec<u8> {
        self.current.encrypt(KEY_CHECK_PLACE, KEY_CHECK)
    }

    /// True if the text was encrypted with the current master key.
    #[must_use]
    pub fn is_key_check(&self, sealed: &[u8]) -> bool {
        self.current.is_key_check(sealed)
    }

    fn encrypt(&self, associated_data: &str, text: &str) -> Vec<u8> {
        self.used().encrypt(associated_data, text)
    }

    fn decrypt(&self, associated_data: &str, sealed: &[u8]) -> Result<String, CannotOpen> {
        self.keys().find_map(|keys| keys.decrypt(associated_data, sealed).ok()).ok_or(CannotOpen)
    }

    /// A text that was encrypted for this place, encrypted with the current key; `None` if it is already.
    pub fn reseal(&self, place: &str, sealed: &[u8]) -> Result<Option<SealedSecret>, CannotOpen> {
        if self.current.decrypt(place, sealed).is_ok() {
            return Ok(None);
        }
        let text = self.previous.as_ref().ok_or(CannotOpen)?.decrypt(place, sealed)?;
        let (sealed, check) = (self.current.encrypt(place, &text), self.current.secret_check(&text));
        Ok(Some(SealedSecret { sealed, check }))
    }

    /// Encrypts a text for one place, such as a column of a row; it cannot be decrypted for another.
    #[must_use]
    pub fn seal_text(&self, place: &str, text: &SecretString) -> Vec<u8> {
        self.encrypt(place, text.expose_secret())
    }

    /// Decrypts a text that was encrypted for this place.
    pub fn open_text(&self, place: &str, sealed: &[u8]) -> Result<SecretString, CannotOpen> {
        self.decrypt(place, sealed).map(SecretString::from)
    }

    /// A keyed hash of a token for a browser, with the key in use. One that is presented is compared with the hashes of
    /// all [`Vault::keys`].
    #[must_use]
    pub fn browser_token_check(&self, kind: &str, token: &[u8]) -> [u8; 32] {
        self.used().browser_token_check(kind, token)
    }

    /// Compares a presented secret's check with a stored one (constant-time comparison). Without a stored one
    /// the same work is done, and the result is false.
    #[must_use]
    pub fn matches(&self, presented: &str, stored: Option<&[u8; 32]>) -> bool {
        let compared = stored.unwrap_or(&[0; 32]);
        let equal = self
            .keys()
            .fold(Choice::from(0), |equal, keys| equal | keys.secret_check(presented).ct_eq(compared));
        bool::from(equal) && stored.is_some()
    }

    /// Encodes and signs a token.
    #[must_use]
    pub fn issue(&self, claims: Claims) -> String {
        let bytes = claims.to_bytes();
        let mac = self.used().token_mac(claims.environment, &bytes).finalize().into_bytes();
        let body = URL_SAFE_NO_PAD.encode([bytes.as_slice(), &mac].concat());
        format!("{}{body}", prefix(claims.environment))
    }

    /// Verifies the signature of a token of this environment and returns its claims. Expiry and revocation
    /// are not checked here.
    #[must_use]
    pub fn read_token(&self, environment: EnvironmentName, token: &str) -> Option<Claims> {
        let body = token.strip_prefix(prefix(environment))?;
        let mut bytes = [0; CLAIMS_LEN + MAC_LEN];
        // A token has one encoding and one length.
        let length = URL_SAFE_NO_PAD.decode_slice(body, &mut bytes).ok()?;
        if length != bytes.len() {
            return None;
        }
        let (claims, mac) = bytes.split_at(CLAIMS_LEN);
        let is_signed = |keys: &DerivedKeys| keys.token_mac(environment, claims).verify_slice(mac).is_ok();
        self.keys().any(is_signed).then_some(())?;
        Claims::from_bytes(claims).filter(|claims| claims.environment == environment)
    }
}

/// A text that was encrypted, and the keyed hash by which it is recognised if it is a client secret that a vendor presents.
#[derive(Debug)]
pub struct SealedSecret {
    pub sealed: Vec<u8>,
    pub check: [u8; 32],
}

/// The place that the text of a mail is encrypted for.
#[must_use]
pub fn mail_place(id: MailId) -> String {
    format!("mails/{id}")
}

fn prefix(environment: EnvironmentName) -> &'static str {
    match environment {
        EnvironmentName::Live => "till_live_",
        EnvironmentName::Sandbox => "till_sandbox_",
    }
}

/// A new public client id with the name of its environment.
#[must_use]
pub fn new_client_id(environment: EnvironmentName) -> String {
    format!(
        "{environment}_{}",
        hex::encode(random::draw_for::<12>("client id", &[environment.as_str().as_bytes()]))
    )
}

/// A new client secret of 256 random bits with the name of its environment.
#[must_use]
pub fn new_client_secret(environment: EnvironmentName) -> SecretString {
    let random: [u8; 32] = random::draw_for("client secret", &[environment.as_str().as_bytes()]);
    format!("sk_{environment}_{}", URL_SAFE_NO_PAD.encode(random)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::time::Timestamp;

    fn vault(byte: &str) -> Vault {
        Vault::new(&MasterKey::parse(&byte.repeat(32)).expect("64 hex digits"))
    }

    fn place(environment: EnvironmentName, number: u32) -> SecretPlace {
        SecretPlace { environment, vendor: VendorId::from_bytes([7; 16]), number }
    }

    #[test]
    fn a_master_key_is_hex_or_base64_of_32_bytes() {
        let base64 = STANDARD.encode([7; 32]);
        for good in [&"ab".repeat(32), &"AB".repeat(32), &base64, &format!(" {base64}\n")] {
            assert!(MasterKey::parse(good).is_some(), "{good}");
        }
        for bad in ["", "ab", &"ab".repeat(31), &"ab".repeat(33), &"zz".repeat(32), &STANDARD.encode([7; 31])]
        {
            assert!(MasterKey::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn s18_a_key_that_was_typed_and_not_drawn_is_trivial() {
        let sequence: String = (0..32).map(|byte| format!("{byte:02x}")).collect();
        for (text, trivial) in [
            ("0".repeat(64), true),
            ("77".repeat(32), true),
            (sequence, true),
            ("0123456789abcdef".repeat(4), false),
            (hex::encode(random::bytes::<32>()), false),
        ] {
            assert_eq!(MasterKey::parse(&text).expect("a key").is_trivial(), trivial, "{text}");
        }
    }

    #[test]
    fn t26_a_sealed_secret_opens_only_in_its_own_row_and_with_its_own_key() {
        let secret = new_client_secret(EnvironmentName::Live);
        let home = place(EnvironmentName::Live, 1);
        let sealed = vault("ab").seal(home, &secret).sealed;
        let opened = vault("ab").open(home, &sealed).expect("opens where it belongs");
        assert_eq!(opened.expose_secret(), secret.expose_secret());
        assert!(!sealed.windows(8).any(|w| secret.expose_secret().as_bytes().windows(8).any(|s| s == w)));
        assert!(vault("ab").open(place(EnvironmentName::Sandbox, 1), &sealed).is_err());
        assert!(vault("ab").open(place(EnvironmentName::Live, 2), &sealed).is_err());
        assert!(vault("cd").open(home, &sealed).is_err());
        let mut changed = sealed;
        *changed.last_mut().expect("not empty") ^= 1;
        assert!(vault("ab").open(home, &changed).is_err());
        assert!(vault("ab").open(home, &[]).is_err());
    }

    #[test]
    fn f33_a_vault_with_two_keys_reads_with_both_and_uses_the_one_of_the_store() {
        let (old, new) = (vault("ab"), vault("cd"));
        let both = || vault("cd").with_previous(MasterKey::parse(&"ab".repeat(32)).as_ref());
        let (place, secret) = (place(EnvironmentName::Live, 1), new_client_secret(EnvironmentName::Live));
        let claims = Claims {
            vendor: VendorId::from_bytes([7; 16]),
            environment: EnvironmentName::Live,
            credential: 3,
            expires_at: Timestamp::from_ms(5),
        };
        for (used, other) in [(&old, &new), (&new, &old)] {
            let both = both();
            assert!(both.adopt(&used.seal_key_check()));
            assert_eq!(both.key_names(), [used.current_key(), other.current_key()]);
            assert!(used.open(place, &both.seal(place, &secret).sealed).is_ok());
            assert!(other.open(place, &both.seal(place, &secret).sealed).is_err());
            assert_eq!(used.read_token(EnvironmentName::Live, &both.issue(claims)), Some(claims));
            for known in [used, other] {
                assert!(both.open(place, &known.seal(place, &secret).sealed).is_ok());
                assert_eq!(both.read_token(EnvironmentName::Live, &known.issue(claims)), Some(claims));
                assert!(both.matches(secret.expose_secret(), Some(&known.seal(place, &secret).check)));
                let check = known.browser_token_check("login", b"token");
                assert!(both.keys().any(|keys| keys.browser_token_check("login", b"token") == check));
            }
            assert!(!both.adopt(&vault("ef").seal_key_check()), "a third key is not the store's");
            assert_eq!(both.key_names()[0], used.current_key(), "and nothing has changed");
        }
        let sealed = old.seal(place, &secret).sealed;
        let anew =
            both().reseal(&place.associated_data(), &sealed).expect("it opens").expect("it is the old key's");
        assert_eq!(new.open(place, &anew.sealed).expect("it opens").expose_secret(), secret.expose_secret());
        assert!(new.matches(secret.expose_secret(), Some(&anew.check)));
        assert!(both().reseal(&place.associated_data(), &anew.sealed).expect("it opens").is_none());
        assert!(new.reseal(&place.associated_data(), &sealed).is_err(), "without the old key");
    }

    #[test]
    fn a_presented_secret_is_recognised_by_its_check_only() {
        let vault = vault("ab");
        let check = vault.current.secret_check("sk_live_right");
        assert!(vault.matches("sk_live_right", Some(&check)));
        assert!(!vault.matches("sk_live_wrong", Some(&check)));
        assert!(!vault.matches("sk_live_right", None));
        assert_ne!(check, self::vault("cd").current.secret_check("sk_live_right"));
    }

    #[test]
    fn t12_a_token_is_read_only_in_its_environment_and_only_unchanged() {
        let vault = vault("ab");
        for environment in EnvironmentName::ALL {
            let claims = Claims {
                vendor: VendorId::from_bytes([7; 16]),
                environment,
                credential: 3,
                expires_at: Timestamp::from_ms(5),
            };
            let token = vault.issue(claims);
            assert_eq!(vault.read_token(environment, &token), Some(claims));
            assert_eq!(self::vault("cd").read_token(environment, &token), None);
            for other in EnvironmentName::ALL.into_iter().filter(|e| *e != environment) {
                assert_eq!(vault.read_token(other, &token), None);
                let dressed_up = token.replace(environment.as_str(), other.as_str());
                assert_eq!(vault.read_token(other, &dressed_up), None);
            }
            for position in prefix(environment).len()..token.len() {
                let mut changed = token.clone().into_bytes();
                changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
                let changed = String::from_utf8(changed).expect("ASCII");
                assert_eq!(vault.read_token(environment, &changed), None, "position {position}");
            }
            for bad in ["", "till_live_", &token[1..], &token[..token.len() - 1], &format!("{token}A")] {
                assert_eq!(vault.read_token(environment, bad), None, "{bad}");
            }
        }
    }

    #[test]
    fn credentials_name_their_environment_and_never_repeat() {
        assert!(new_client_id(EnvironmentName::Live).starts_with("live_"));
        let secret = new_client_secret(EnvironmentName::Sandbox);
        assert!(secret.expose_secret().starts_with("sk_sandbox_"));
        assert_eq!(secret.expose_secret().len(), "sk_sandbox_".len() + 43);
        assert_ne!(new_client_id(EnvironmentName::Live), new_client_id(EnvironmentName::Live));
    }
}
