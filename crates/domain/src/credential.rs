//! Client credentials and the Bearer tokens issued for them: who may act, in which environment, and until
//! when.
//!
//! Signing and encryption happen elsewhere; this module only decides what a credential or a token permits.

use crate::{
    environment::EnvironmentName, id::VendorId, rejection::Rejection, rules::Rules, time::Timestamp,
    vendor::Vendor,
};

/// A pair of client id and secret. The store keeps the secret itself encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The number of the pair among those of a vendor in one environment; tokens carry it.
    pub number: u32,
    /// The only environment in which the pair works.
    pub environment: EnvironmentName,
    pub client_id: String,
    /// A keyed hash of the secret, to verify a presented one.
    pub secret_check: [u8; 32],
    pub created_at: Timestamp,
    /// When it stops working; set by rotation.
    pub ends_at: Option<Timestamp>,
    /// When a token was first issued for it.
    pub first_used_at: Option<Timestamp>,
}

impl Credential {
    /// Returns true when the pair works at `now`.
    #[must_use]
    pub fn works_at(&self, now: Timestamp) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

/// The pairs whose secrets sign a callback at this moment: the number for the first signature, and the number
/// for the second one while a rotation overlaps. The old secret comes first until a token was issued for the
/// new pair, so a vendor that verifies with one secret can always verify.
#[must_use]
pub fn signers(
    credentials: &[Credential],
    environment: EnvironmentName,
    now: Timestamp,
) -> Option<(u32, Option<u32>)> {
    let mut working: Vec<&Credential> =
        credentials.iter().filter(|c| c.environment == environment && c.works_at(now)).collect();
    working.sort_by_key(|credential| std::cmp::Reverse(credential.number));
    let (newest, before) = (working.first()?, working.get(1));
    Some(match before {
        None => (newest.number, None),
        Some(before) if newest.first_used_at.is_none() => (before.number, Some(newest.number)),
        Some(before) => (newest.number, Some(before.number)),
    })
}

/// The claims of a token. They are signed, so the holder cannot change them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// The vendor that the token acts for.
    pub vendor: VendorId,
    /// The only environment where it works.
    pub environment: EnvironmentName,
    /// The number of the pair that it was issued for.
    pub credential: u32,
    pub expires_at: Timestamp,
}

/// The version of the encoding below.
const CLAIMS_VERSION: u8 = 1;

/// Length of encoded claims, in bytes.
pub const CLAIMS_LEN: usize = 30;

impl Claims {
    /// The compact encoding that is signed.
    #[must_use]
    pub fn to_bytes(self) -> [u8; CLAIMS_LEN] {
        let mut bytes = [0; CLAIMS_LEN];
        bytes[0] = CLAIMS_VERSION;
        bytes[1] = match self.environment {
            EnvironmentName::Live => 0,
            EnvironmentName::Sandbox => 1,
        };
        bytes[2..18].copy_from_slice(self.vendor.as_bytes());
        bytes[18..22].copy_from_slice(&self.credential.to_be_bytes());
        bytes[22..30].copy_from_slice(&self.expires_at.as_ms().to_be_bytes());
        bytes
    }

    /// Decodes the compact encoding.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; CLAIMS_LEN] = bytes.try_into().ok()?;
        let environment = match (bytes[0], bytes[1]) {
            (CLAIMS_VERSION, 0) => EnvironmentName::Live,
            (CLAIMS_VERSION, 1) => EnvironmentName::Sandbox,
            _ => return None,
        };
        Some(Self {
            vendor: VendorId::from_bytes(bytes[2..18].try_into().ok()?),
            environment,
            credential: u32::from_be_bytes(bytes[18..22].try_into().ok()?),
            expires_at: Timestamp::from_ms(i64::from_be_bytes(bytes[22..30].try_into().ok()?)),
        })
    }
}

/// The claims of a new token, for a pair whose secret was verified.
pub fn grant(
    vendor: &Vendor,
    credential: &Credential,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, Rejection> {
    if credential.environment != rules.environment || !credential.works_at(now) {
        return Err(Rejection::InvalidClient);
    }
    if vendor.disabled {
        return Err(Rejection::VendorDisabled);
    }
    if !vendor.may_use(rules.environment) {
        return Err(Rejection::SandboxDisabled);
    }
    Ok(Claims {
        vendor: vendor.id,
        environment: rules.environment,
        credential: credential.number,
        expires_at: now.plus(rules.token_lifetime),
    })
}

/// Checks that a token with these claims still works, given the current state of its vendor.
pub fn admit(
    claims: &Claims,
    vendor: &Vendor,
    environment: EnvironmentName,
    now: Timestamp,
) -> Result<(), Rejection> {
    let credential = vendor
        .credentials
        .iter()
        .find(|c| c.environment == environment && c.number == claims.credential)
        .filter(|c| c.works_at(now));
    let valid = claims.environment == environment
        && claims.vendor == vendor.id
        && now < claims.expires_at
        && vendor.may_use(environment)
        && credential.is_some();
    if valid { Ok(()) } else { Err(Rejection::InvalidToken) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ledger::Terms, method::Lifetimes, rules::RuleSettings, vendor::Settings};
    use std::time::Duration;

    fn rules(environment: EnvironmentName) -> Rules {
        let settings = RuleSettings {
            mails: false,
            lifetimes: Lifetimes::default(),
            token_lifetime: Duration::from_secs(3600),
            private_callbacks: false,
            settlement_delay: Duration::ZERO,
        };
        match environment {
            EnvironmentName::Live => Rules::live(&settings, vec![]),
            EnvironmentName::Sandbox => Rules::sandbox(&settings),
        }
    }

    fn vendor() -> Vendor {
        let credential = |environment: EnvironmentName| Credential {
            number: 1,
            environment,
            client_id: format!("{environment}_x"),
            secret_check: [0; 32],
            created_at: Timestamp::from_ms(0),
            ends_at: None,
            first_used_at: None,
        };
        Vendor {
            id: VendorId::new(Timestamp::from_ms(0), &[7; 10]),
            name: "Halden Press".to_owned(),
            sandbox: true,
            disabled: false,
            created_at: Timestamp::from_ms(0),
            parent: None,
            settings: Settings::default(),
            terms: Terms::default(),
            credentials: vec![credential(EnvironmentName::Live), credential(EnvironmentName::Sandbox)],
        }
    }

    #[test]
    fn i24_a_token_works_for_its_vendor_environment_pair_and_hour_only() {
        let now = Timestamp::from_ms(1_000_000);
        let last = now.plus(Duration::from_millis(3_599_999));
        let over = now.plus(Duration::from_secs(3_600));
        for environment in EnvironmentName::ALL {
            let vendor = vendor();
            let index = EnvironmentName::ALL.iter().position(|e| *e == environment).unwrap_or(0);
            let claims =
                grant(&vendor, &vendor.credentials[index], &rules(environment), now).expect("granted");
            let ok = |vendor: &Vendor, at| admit(&claims, vendor, environment, at).is_ok();
            assert!(ok(&vendor, now) && ok(&vendor, last) && !ok(&vendor, over));
            for other in EnvironmentName::ALL {
                assert_eq!(admit(&claims, &vendor, other, now).is_ok(), other == environment);
            }
            let mut rotated = vendor.clone();
            rotated.credentials[index].ends_at = Some(now);
            assert!(!ok(&rotated, now));
            rotated.credentials[index].ends_at = Some(last);
            assert!(ok(&rotated, now) && !ok(&rotated, last));
            let disabled = Vendor { disabled: true, ..vendor.clone() };
            assert!(!ok(&disabled, now));
            let no_sandbox = Vendor { sandbox: false, ..vendor.clone() };
            assert_eq!(ok(&no_sandbox, now), environment == EnvironmentName::Live);
            let other = Vendor { id: VendorId::new(now, &[8; 10]), ..vendor };
            assert!(!ok(&other, now));
        }
    }

    #[test]
    fn a_right_pair_may_still_be_refused_a_token() {
        let now = Timestamp::from_ms(0);
        let vendor = vendor();
        let [live, sandbox] = [&vendor.credentials[0], &vendor.credentials[1]];
        let off = Vendor { sandbox: false, ..vendor.clone() };
        let disabled = Vendor { disabled: true, ..vendor.clone() };
        let refusal = |v: &Vendor, c, e| grant(v, c, &rules(e), now).err();
        assert_eq!(refusal(&off, sandbox, EnvironmentName::Sandbox), Some(Rejection::SandboxDisabled));
        assert_eq!(refusal(&off, live, EnvironmentName::Live), None);
        assert_eq!(refusal(&disabled, live, EnvironmentName::Live), Some(Rejection::VendorDisabled));
        assert_eq!(refusal(&vendor, live, EnvironmentName::Sandbox), Some(Rejection::InvalidClient));
    }

    #[test]
    fn claims_read_back_what_they_write_and_nothing_else() {
        let now = Timestamp::from_ms(1_763_164_800_120);
        let vendor = vendor();
        let claims =
            grant(&vendor, &vendor.credentials[1], &rules(EnvironmentName::Sandbox), now).expect("granted");
        assert_eq!(Claims::from_bytes(&claims.to_bytes()), Some(claims));
        assert_eq!(Claims::from_bytes(&claims.to_bytes()[..29]), None);
        let mut other = claims.to_bytes();
        other[0] = 2;
        assert_eq!(Claims::from_bytes(&other), None);
    }
}
