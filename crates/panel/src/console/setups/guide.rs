//! What an operator enters at the provider: the address for notices (webhooks), its events and the version of
//! the API. A new secret for that address is proposed; one that is stored is not shown.

use crate::Panel;
use till_service::registry::ProviderKind;

/// What to enter at a provider.
#[derive(Debug, Clone)]
pub struct Guide {
    pub kind: ProviderKind,
    /// The address for notices; its secret part is missing if that is not shown.
    pub address: Option<NoticeAddress>,
    /// A new secret for the address, and the address with it, to replace the one that is stored.
    pub proposal: Option<(String, String)>,
    pub events: &'static [&'static str],
    /// The version of the API that the webhook must have.
    pub version: Option<&'static str>,
}

/// The address for notices.
#[derive(Debug, Clone)]
pub struct NoticeAddress {
    pub text: String,
    /// True if a secret is missing at its end.
    pub is_cut: bool,
}

impl Guide {
    /// The guide for a set-up of this version, whose own secret for notices is `token`.
    pub(super) fn of(panel: &Panel, kind: ProviderKind, version: i64, token: &str) -> Self {
        let base = format!("{}/notices/{}", panel.base_url, kind.name());
        let proposed = Self::proposed(panel, kind, version);
        let with = |token: &str| format!("{base}/{token}");
        let is_new = token.is_empty() || proposed.as_deref() == Some(token);
        let (address, proposal) = match (kind, proposed) {
            (ProviderKind::Evm, _) => (None, None),
            (ProviderKind::Yookassa, Some(proposed)) if version == 0 && is_new => {
                (Some(NoticeAddress { text: with(&proposed), is_cut: false }), None)
            }
            (ProviderKind::Yookassa, proposed) => {
                let proposal = proposed.map(|token| (token.clone(), with(&token)));
                (Some(NoticeAddress { text: with(""), is_cut: true }), proposal)
            }
            (ProviderKind::Tbank, _) => (Some(NoticeAddress { text: with("terminal"), is_cut: false }), None),
            (ProviderKind::Stripe, _) => (Some(NoticeAddress { text: with("events"), is_cut: false }), None),
        };
        Self { kind, address, proposal, events: kind.events(), version: kind.api_version() }
    }

    /// A secret to propose. It is the same until the set-up is saved, so that an address that was copied stays
    /// right, and another one afterwards: what was saved is never shown again.
    pub(super) fn proposed(panel: &Panel, kind: ProviderKind, version: i64) -> Option<String> {
        let hash = panel.admin.vault.browser_token_check("notice-token", &version.to_be_bytes());
        (kind == ProviderKind::Yookassa).then(|| hex::encode(&hash[..24]))
    }

    /// The events, one a line.
    pub fn lines(&self) -> String {
        self.events.join("\n")
    }

    /// The proposed secret for a new set-up.
    pub fn fresh_token(&self) -> Option<&str> {
        let address = self.address.as_ref().filter(|address| !address.is_cut)?;
        (self.kind == ProviderKind::Yookassa).then(|| address.text.rsplit('/').next()).flatten()
    }
}
