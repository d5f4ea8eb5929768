//! The buttons of the simulated bank's page.

use super::Challenge;
use till_service::web::words::Words;

/// The actions that are links back, without any decision.
const LINKS: [&str; 2] = ["leave", "back"];

/// A button of the page.
#[derive(Debug)]
pub(super) struct ChallengeButton {
    pub value: &'static str,
    pub text: String,
    /// The handle by which tests find it.
    pub test_id: String,
}

impl Challenge {
    /// True if it simulates a 3-D Secure check, and not a whole bank.
    pub(super) fn is_three_ds(&self) -> bool {
        self.actions.contains(&"confirm")
    }

    /// True if the session is over, and the page plays what happens afterwards.
    pub(super) fn is_after(&self) -> bool {
        self.actions.contains(&"back")
    }

    /// Nothing is chosen before: what happens afterwards has an event of its own.
    pub(super) fn delivery(&self) -> &'static str {
        ""
    }

    /// The text of the vendor's default delivery.
    pub(super) fn default_delivery(&self, t: &Words) -> String {
        delivery_by_default(self.default_delivery, t)
    }

    pub(super) fn decisions(&self, t: &Words) -> Vec<ChallengeButton> {
        let buttons = self.actions.iter().filter(|value| !LINKS.contains(value));
        buttons.map(|value| ChallengeButton::new(value, t)).collect()
    }

    /// The link back, if it is one of the actions.
    pub(super) fn leave(&self, t: &Words) -> Option<ChallengeButton> {
        let link = self.actions.iter().find(|value| LINKS.contains(value));
        link.map(|value| ChallengeButton::new(value, t))
    }
}

/// The option of a choice of deliveries that leaves it to the vendor's default, which it names.
pub(super) fn delivery_by_default(word: &str, t: &Words) -> String {
    t.with("delivery-default", "fault", &t.text(&format!("fault-{word}")))
}

impl ChallengeButton {
    fn new(value: &'static str, t: &Words) -> Self {
        let test_id = match value {
            "confirm" | "refuse" => format!("three-ds-{value}"),
            _ => format!("decision-{value}"),
        };
        Self { value, text: t.text(&format!("decision-{value}")), test_id }
    }
}
