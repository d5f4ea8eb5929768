//! Users, who log in: their four roles, and the rights of each.

use crate::{
    id::{UserId, VendorId},
    text::{self, TextProblem},
    time::{TimeZone, Timestamp},
};
use std::time::Duration;

/// A person who can log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// The e-mail address, in lower case; also the name to log in with.
    pub email: String,
    pub role: Role,
    /// The vendor they work for; operators and super vendors work for none.
    pub vendor: Option<VendorId>,
    /// True if the operator disabled the user.
    pub disabled: bool,
    /// True once a password was set.
    pub has_password: bool,
    /// True if a second factor is asked for.
    pub has_factor: bool,
    pub created_at: Timestamp,
    /// When the user was last active.
    pub seen_at: Option<Timestamp>,
    /// The time zone for the times that the user sees, if one was chosen.
    pub time_zone: Option<TimeZone>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Operator,
    SuperVendor,
    /// Manages one vendor's account.
    VendorAdmin,
    /// Has read-only access to one vendor's account.
    VendorViewer,
}

/// A right that a role may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// To see the pages of the vendor that the user works for.
    SeeVendor,
    /// To change that vendor's settings, see its secrets and rotate them.
    RunVendor,
    /// To see the vendors assigned to the user, and their sandbox secrets.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// Returns true if users of this role work for one vendor.
    #[must_use]
    pub fn has_vendor(self) -> bool {
        matches!(self, Self::VendorAdmin | Self::VendorViewer)
    }

    /// Returns true if the role has the right.
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

/// Normalizes an e-mail address: trimmed and in lower case, so that one person is one user.
pub fn email(text: &str) -> Result<String, TextProblem> {
    text::email(text.trim()).map(|email| email.to_lowercase())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// The first password of a user who was invited.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Invitation, Self::Reset].into_iter().find(|purpose| purpose.as_str() == word)
    }

    /// How long a link is valid.
    #[must_use]
    pub fn lasts(self) -> Duration {
        match self {
            Self::Invitation => Duration::from_secs(7 * 24 * 60 * 60),
            Self::Reset => Duration::from_secs(60 * 60),
        }
    }
}

/// The idle timeout of a log-in.
pub const IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// The maximum lifetime of a log-in.
pub const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Returns true while a browser's log-in is valid.
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
