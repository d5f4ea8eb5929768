//! The hash chain of the audit log: seals entries (gives each its sequence number and hash) and verifies the
//! chain.

use crate::{
    accounts::{
        Accounts,
        users::{guarded, plain},
    },
    engine::{
        checked::CheckResult,
        error::StoreError,
        sql::{Row, Sql, statements},
    },
};
use till_domain::{
    audit::{StoredLine, seal},
    hash_chain::{NOTHING, Seal},
    id::AuditId,
};

/// Entries sealed per pass, and entries read per page of the verification.
const AT_ONCE: u32 = 256;

const CHAIN: &str = "the hash chain of the audit log is intact (T34)";

statements! {
    static UNSEALED = Sql::new(
        "SELECT id, at, actor_id, actor, address, deed, vendor_id, user_id, detail FROM audit
         WHERE seq IS NULL ORDER BY id LIMIT $1",
    );
    static UNSEALED_COUNT = Sql::new("SELECT COUNT(*) FROM audit WHERE seq IS NULL");
    static HEAD = Sql::new("SELECT seq, hash FROM audit_head");
    static SEAL_LINE = Sql::new("UPDATE audit SET seq = $2, hash = $3 WHERE id = $1 AND seq IS NULL");
    // Compare-and-set, so that of two nodes only one continues the chain.
    static MOVE_HEAD = Sql::new("UPDATE audit_head SET seq = $1, hash = $2 WHERE seq = $3 AND hash = $4");
    static SEALED_AFTER = Sql::new(
        "SELECT id, at, actor_id, actor, address, deed, vendor_id, user_id, detail, seq, hash FROM audit
         WHERE seq > $1 ORDER BY seq LIMIT $2",
    );
}

/// The outcome of one sealing pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditSealing {
    /// True if there may be more entries to seal.
    pub more: bool,
    /// Entries of this pass that cannot be read.
    pub unreadable: usize,
}

impl Accounts {
    /// Seals the oldest unsealed entries. An entry that cannot be read stays unsealed.
    pub async fn seal_audit(&self) -> Result<AuditSealing, StoreError> {
        // The head is read first. While it stays the same no entry is sealed, so the compare-and-set of the
        // head proves that none of the entries read below has been sealed meanwhile.
        let head = self.audit_head().await?;
        let rows = self.engine.read(&UNSEALED, vec![i64::from(AT_ONCE).into()]).await?;
        let count = rows.len();
        let lines: Vec<_> = rows.into_iter().filter_map(|mut row| read_line(&mut row).ok()).collect();
        let unreadable = count - lines.len();
        if lines.is_empty() {
            return Ok(AuditSealing { more: false, unreadable });
        }
        let mut last = head;
        let seals = lines.iter().map(|line| {
            last = seal(line, &last);
            plain(&SEAL_LINE, vec![line.id.as_bytes().into(), last.seq.into(), (&last.hash).into()])
        });
        let seals: Vec<_> = seals.collect();
        let params = vec![last.seq.into(), (&last.hash).into(), head.seq.into(), (&head.hash).into()];
        let unit = [guarded(&MOVE_HEAD, params)].into_iter().chain(seals).collect();
        let sealed = self.done(unit).await?;
        Ok(AuditSealing {
            more: sealed && u32::try_from(count).is_ok_and(|count| count == AT_ONCE),
            unreadable,
        })
    }

    /// The number of unsealed entries.
    pub async fn unsealed_audit_count(&self) -> Result<u64, StoreError> {
        let rows = self.engine.read(&UNSEALED_COUNT, vec![]).await?;
        let count = rows.into_iter().next().map(|mut row| row.int()).transpose()?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    async fn audit_head(&self) -> Result<Seal, StoreError> {
        let rows = self.engine.read(&HEAD, vec![]).await?;
        let mut row =
            rows.into_iter().next().ok_or_else(|| StoreError::Corrupt("audit_head is empty".to_owned()))?;
        Ok(Seal { seq: row.int()?, hash: row.array()? })
    }

    /// Verifies the hash chain of the audit log from its first entry to its last: finds edited, deleted and
    /// reordered entries. `progress` is called with the rows read so far.
    pub async fn verify_audit(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        CheckResult::or_damage(CHAIN, self.follow_audit(progress).await)
    }

    async fn follow_audit(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        let (mut checked, mut last) = (CheckResult::new(CHAIN), NOTHING);
        // The log may grow while it is read; the head as it was at the start must be part of it.
        let head = self.audit_head().await;
        let mut at_head = NOTHING;
        loop {
            progress(checked.name, checked.rows);
            let params = vec![last.seq.into(), i64::from(AT_ONCE).into()];
            let rows = self.engine.study(&SEALED_AFTER, params).await?;
            let count = rows.len();
            for mut row in rows {
                let line = read_line(&mut row)?;
                let stored = Seal { seq: row.int()?, hash: row.array()? };
                checked.rows += 1;
                if seal(&line, &last) != stored {
                    checked.wrong(format!("line {} ({})", stored.seq, line.id));
                }
                // The next entry is checked against the stored hash of this one, so that each wrong entry is
                // named.
                last = stored;
                if head.as_ref().is_ok_and(|head| head.seq == stored.seq) {
                    at_head = stored;
                }
            }
            if u32::try_from(count).is_ok_and(|count| count < AT_ONCE) {
                break;
            }
        }
        checked.ends_with = Some(last.to_string());
        match head {
            Ok(head) if head != at_head => {
                checked
                    .wrong(format!("the log ended with line {}, which is missing or was changed", head.seq));
            }
            Err(StoreError::Corrupt(what)) => checked.wrong(what),
            head => drop(head?),
        }
        Ok(checked)
    }
}

fn read_line(row: &mut Row) -> Result<StoredLine, StoreError> {
    Ok(StoredLine {
        id: AuditId::from_bytes(row.array()?),
        at: row.time()?,
        actor_id: row.opt_array()?,
        actor: row.text()?,
        address: row.opt_text()?,
        event: row.text()?,
        vendor_id: row.opt_array()?,
        user_id: row.opt_array()?,
        detail: row.opt_text()?,
    })
}
