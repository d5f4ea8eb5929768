//! People who log in: which of the four roles they have, and what each may do.

use crate::{
    id::{UserId, VendorId},
    text::{self, TextProblem},
    time::{TimeZone, Timestamp},
};
use std::time::Duration;

/// Somebody who can log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// Their address, in small letters; the name they log in with.
    pub email: String,
    pub role: Role,
    /// The vendor they work for; operators and super vendors work for none.
    pub vendor: Option<VendorId>,
    /// Whether the operator shut them out.
    pub disabled: bool,
    /// Whether they chose a password yet.
    pub has_password: bool,
    /// Whether a second factor is asked for.
    pub has_factor: bool,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they were last here.
    pub seen_at: Option<Timestamp>,
    /// The zone in which they read times, if they chose one.
    pub time_zone: Option<TimeZone>,
}

/// What a user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Operator,
    SuperVendor,
    /// Runs one vendor's account.
    VendorAdmin,
    /// Looks at one vendor's account.
    VendorViewer,
}

/// What may be allowed to a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// To see a vendor's pages, for the vendor they work for.
    SeeVendor,
    /// To change its settings, see its secrets and replace them.
    RunVendor,
    /// To see the vendors below them, and the sandbox secrets of those.
    WatchVendors,
    /// To do the operator's work.
    Operate,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Operator, Self::SuperVendor, Self::VendorAdmin, Self::VendorViewer];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::SuperVendor => "super_vendor",
            Self::VendorAdmin => "vendor_admin",
            Self::VendorViewer => "vendor_viewer",
        }
    }

    /// The role with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// Whether somebody of this role works for one vendor.
    #[must_use]
    pub fn has_vendor(self) -> bool {
        matches!(self, Self::VendorAdmin | Self::VendorViewer)
    }

    /// Whether the role allows it.
    #[must_use]
    pub fn may(self, right: Right) -> bool {
        match right {
            Right::SeeVendor => self.has_vendor(),
            Right::RunVendor => self == Self::VendorAdmin,
            Right::WatchVendors => self == Self::SuperVendor,
            Right::Operate => self == Self::Operator,
        }
    }
}

/// An address as it is kept: trimmed and in small letters, so that one person is one user.
pub fn email(text: &str) -> Result<String, TextProblem> {
    text::email(text.trim()).map(|email| email.to_lowercase())
}

/// What a one-time link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// The first password of somebody who was invited.
    Invitation,
    /// A new password in place of a forgotten one.
    Reset,
}

impl LinkPurpose {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Reset => "reset",
        }
    }

    /// The purpose with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Invitation, Self::Reset].into_iter().find(|purpose| purpose.as_str() == word)
    }

    /// How long a link works.
    #[must_use]
    pub fn lasts(self) -> Duration {
        match self {
            Self::Invitation => Duration::from_secs(7 * 24 * 60 * 60),
            Self::Reset => Duration::from_secs(60 * 60),
        }
    }
}

/// How long a browser may be silent before its user logs in again.
pub const IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// How long a log-in lasts at most.
pub const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Whether a browser's log-in still counts.
#[must_use]
pub fn still_logged_in(created_at: Timestamp, seen_at: Timestamp, now: Timestamp) -> bool {
    now.since(created_at) < LONGEST && now.since(seen_at) < IDLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_a_role_has_its_own_rights_and_no_others() {
        use Right::{Operate, RunVendor, SeeVendor, WatchVendors};
        let rights = |role: Role| {
            let all = [SeeVendor, RunVendor, WatchVendors, Operate];
            all.into_iter().filter(|right| role.may(*right)).collect::<Vec<_>>()
        };
        assert_eq!(rights(Role::Operator), [Operate]);
        assert_eq!(rights(Role::SuperVendor), [WatchVendors]);
        assert_eq!(rights(Role::VendorAdmin), [SeeVendor, RunVendor]);
        assert_eq!(rights(Role::VendorViewer), [SeeVendor]);
    }

    #[test]
    fn one_person_is_one_user_however_the_address_is_written() {
        assert_eq!(email(" Ada@Example.COM "), Ok("ada@example.com".to_owned()));
        assert_eq!(email("ada at example"), Err(TextProblem::NotAnEmail));
    }

    #[test]
    fn a_login_ends_after_half_a_day_of_silence_and_after_a_week() {
        let start = Timestamp::from_ms(1_000_000);
        let after = |duration: Duration| start.plus(duration);
        let moment = Duration::from_millis(1);
        assert!(still_logged_in(start, start, after(IDLE - moment)));
        assert!(!still_logged_in(start, start, after(IDLE)));
        assert!(still_logged_in(start, after(LONGEST - IDLE), after(LONGEST - moment)));
        assert!(!still_logged_in(start, after(LONGEST - moment), after(LONGEST)));
    }
}
