//! The team of one vendor, for its admins: the roles of its members, and the part of the audit log that is
//! about them and their vendor. The statements keep at least one admin who can log in, also under concurrent
//! changes.

use crate::{
    accounts::{
        Accounts,
        audit::{self, read_entry},
        users::guarded,
    },
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use till_domain::{
    audit::AuditEntry,
    id::{AuditId, UserId, VendorId},
    user::Role,
};

statements! {
    // Every change of a team locks its vendor's row first. Two admins who remove each other are then
    // serialised on every engine, and the second removal finds that it would remove the last admin.
    static TAKE_VENDOR = Sql::new("UPDATE vendors SET name = name WHERE id = $1");
    static SET_ROLE = Sql::new(
        "UPDATE users SET role = $3
         WHERE id = $2 AND vendor_id = $1 AND role <> $3 AND NOT disabled
            AND (role <> 'vendor_admin' OR EXISTS (
                SELECT 1 FROM users AS other
                WHERE other.vendor_id = $1 AND other.id <> $2 AND other.role = 'vendor_admin'
                    AND NOT other.disabled AND other.password IS NOT NULL))",
    );
    static REMOVE_MEMBER = Sql::new(
        "UPDATE users SET disabled = $3
         WHERE id = $2 AND vendor_id = $1 AND NOT disabled
            AND (role <> 'vendor_admin' OR EXISTS (
                SELECT 1 FROM users AS other
                WHERE other.vendor_id = $1 AND other.id <> $2 AND other.role = 'vendor_admin'
                    AND NOT other.disabled AND other.password IS NOT NULL))",
    );
    // Only a member removed by a member of the same vendor: a user disabled by the operator stays disabled.
    static RESTORE_MEMBER = Sql::new(
        "UPDATE users SET disabled = $3
         WHERE id = $2 AND vendor_id = $1 AND disabled AND EXISTS (
            SELECT 1 FROM users AS colleague WHERE colleague.vendor_id = $1 AND colleague.id = (
                SELECT actor_id FROM audit WHERE user_id = $2 AND deed = 'user_disabled' ORDER BY id DESC LIMIT 1))",
    );
    static REMOVED_BY = Sql::new(
        "SELECT COUNT(*) FROM users WHERE vendor_id = $1 AND id = (
            SELECT actor_id FROM audit WHERE user_id = $2 AND deed = 'user_disabled' ORDER BY id DESC LIMIT 1)",
    );
    // Reads two index ranges, never the entries of other vendors: those about the vendor, and those about
    // each of its members. The cross join keeps SQLite from reordering the second one.
    static TEAM_AUDIT = Sql::new(
        "SELECT audit.id, audit.at, audit.actor_id, audit.actor, audit.address, audit.deed, audit.vendor_id,
            audit.user_id, audit.detail, doer.role, doer.vendor_id, done_to.email
         FROM audit LEFT JOIN users AS doer ON doer.id = audit.actor_id
            LEFT JOIN users AS done_to ON done_to.id = audit.user_id AND done_to.vendor_id = $2
         WHERE audit.id IN (
            SELECT id FROM (
                SELECT id FROM (
                    SELECT id FROM audit WHERE vendor_id = $2 AND id < $1 ORDER BY id DESC LIMIT $3) AS about_vendor
                UNION
                SELECT line.id FROM users AS member CROSS JOIN audit AS line
                WHERE member.vendor_id = $2 AND line.user_id = member.id AND line.id < $1) AS found
            ORDER BY id DESC LIMIT $3)
         ORDER BY audit.id DESC",
    );
}

/// A user of a vendor.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub vendor: VendorId,
    pub user: UserId,
}

/// An audit entry about a vendor or its members.
#[derive(Debug, Clone)]
pub struct TeamEntry {
    pub entry: AuditEntry,
    /// The actor's current role; `None` for an actor who was not logged in.
    pub role: Option<Role>,
    /// Whether the actor works for the vendor.
    pub colleague: bool,
    /// The email address of the member to which it was done.
    pub member: Option<String>,
}

impl Accounts {
    /// Gives a member another role. False if the member has it already, is removed or not of the vendor, or
    /// if no admin who can log in would be left.
    pub async fn set_role(&self, who: Member, role: Role, entry: &AuditEntry) -> Result<bool, StoreError> {
        let set = of_member(&SET_ROLE, who, role.as_str().into());
        self.done(vec![take(who.vendor), set, audit::line(entry)]).await
    }

    /// Removes a member: disables the user and ends their log-ins and links. False if they are disabled
    /// already or not of the vendor, or if no admin who can log in would be left.
    pub async fn remove_member(&self, who: Member, entry: &AuditEntry) -> Result<bool, StoreError> {
        let remove = of_member(&REMOVE_MEMBER, who, true.into());
        let ends = [self.end_logins_of(who.user, None), self.end_links(who.user)];
        let unit = [take(who.vendor), remove, audit::line(entry)];
        self.done(unit.into_iter().chain(ends).collect()).await
    }

    /// Enables a member again who was removed by a colleague. False if the operator disabled them.
    pub async fn restore_member(&self, who: Member, entry: &AuditEntry) -> Result<bool, StoreError> {
        let restore = of_member(&RESTORE_MEMBER, who, false.into());
        self.done(vec![take(who.vendor), restore, audit::line(entry)]).await
    }

    /// True if it was a colleague who last disabled this user.
    pub async fn removed_by_colleague(&self, who: Member) -> Result<bool, StoreError> {
        let params = vec![who.vendor.as_bytes().into(), who.user.as_bytes().into()];
        let rows = self.engine.read(&REMOVED_BY, params).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| Ok(row.int()? > 0))
    }

    /// Audit entries about a vendor and its members, newest first.
    pub async fn team_audit(
        &self,
        vendor: VendorId,
        before: Option<AuditId>,
        limit: u32,
    ) -> Result<Vec<TeamEntry>, StoreError> {
        let before = before.map_or([0xff; 16], |id| *id.as_bytes());
        let params = vec![(&before).into(), vendor.as_bytes().into(), i64::from(limit).into()];
        let rows = self.engine.scan(&TEAM_AUDIT, params).await?;
        rows.into_iter().map(|row| read_line(row, vendor)).collect()
    }
}

fn take(vendor: VendorId) -> Statement {
    guarded(&TAKE_VENDOR, vec![vendor.as_bytes().into()])
}

fn of_member(sql: &'static Sql, who: Member, value: crate::engine::sql::Value) -> Statement {
    guarded(sql, vec![who.vendor.as_bytes().into(), who.user.as_bytes().into(), value])
}

fn read_line(mut row: Row, vendor: VendorId) -> Result<TeamEntry, StoreError> {
    let entry = read_entry(&mut row)?;
    let role = row.opt_text()?;
    let role =
        role.map(|word| Role::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("role {word:?}"))));
    let works_for = row.opt_array()?.map(VendorId::from_bytes);
    Ok(TeamEntry {
        entry,
        role: role.transpose()?,
        colleague: works_for == Some(vendor),
        member: row.opt_text()?,
    })
}
