//! Misdelivery on purpose: how a tester wants callbacks to be delivered, and which faults were played. Only the sandbox has
//! these tables, and only [`Stores`](crate::Stores) can make a [`Faults`]: of the sandbox.

use crate::{
    engine::{
        Engine,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::change::OWN_STATUS,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    delivery::AttemptResult,
    id::{EventId, SessionId, VendorId},
    misdelivery::{ChosenFor, DeliveryChoice, Fault, PlannedFault},
    time::Timestamp,
};

statements! {
    pub(crate) static CHOOSE = Sql::new(
        "INSERT INTO callback_faults (session_id, about, fault, delay_ms) VALUES ($1, $2, $3, $4)
         ON CONFLICT (session_id, about) DO UPDATE SET fault = excluded.fault, delay_ms = excluded.delay_ms
         WHERE callback_faults.played_at IS NULL",
    );
    pub(crate) static FORGET =
        Sql::new("DELETE FROM callback_faults WHERE session_id = $1 AND about = $2 AND played_at IS NULL");
    pub(crate) static RETURN = Sql::new(
        "UPDATE callback_faults SET callback_id = NULL, played_at = NULL
         WHERE (session_id, about) = (SELECT session_id, about FROM callbacks WHERE id = $1) AND result IS NULL",
    );
    pub(crate) static PLAY = Sql::new(
        "INSERT INTO callback_faults (session_id, about, fault, delay_ms, callback_id, played_at)
         SELECT session_id, about, $2, CAST($3 AS BIGINT), id, CAST($4 AS BIGINT) FROM callbacks WHERE id = $1
         ON CONFLICT (session_id, about) DO UPDATE SET callback_id = excluded.callback_id,
            played_at = excluded.played_at
         WHERE callback_faults.played_at IS NULL",
    );
    pub(crate) static END = Sql::new(
        "UPDATE callback_faults SET result = $2, status = $3
         WHERE (session_id, about) = (SELECT session_id, about FROM callbacks WHERE id = $1)
            AND played_at IS NOT NULL",
    );
    // The choice for the event comes before the vendor's default.
    static PLANNED = Sql::new(
        "SELECT fault, delay_ms, played_at FROM (
            SELECT 1 AS place, f.fault, f.delay_ms, f.played_at FROM callbacks AS c
            JOIN callback_faults AS f ON f.session_id = c.session_id AND f.about = c.about WHERE c.id = $1
            UNION ALL
            SELECT 2, v.fault, v.delay_ms, CAST(NULL AS BIGINT) FROM callbacks AS c
            JOIN vendor_faults AS v ON v.vendor_id = c.vendor_id WHERE c.id = $1) AS choices
         ORDER BY place LIMIT 1",
    );
    static CHOSEN = Sql::new(
        "SELECT fault, delay_ms FROM callback_faults WHERE session_id = $1 AND about = $2 AND played_at IS NULL",
    );
    static PLAYED = Sql::new(
        "SELECT callback_id, fault, delay_ms, played_at, result, status FROM callback_faults
         WHERE session_id = $1 AND played_at IS NOT NULL ORDER BY played_at",
    );
    static OLDER_OF_ORDER = Sql::new(
        "SELECT c.id, c.body FROM callbacks AS c WHERE c.id < $3 AND c.session_id IN
            (SELECT s.id FROM sessions AS s WHERE s.due_at IS NULL AND s.vendor_id = $1 AND s.order_id =
                (SELECT o.order_id FROM sessions AS o JOIN callbacks AS e ON e.session_id = o.id WHERE e.id = $2))
         ORDER BY c.id DESC LIMIT 1",
    );
    static DEFAULT = Sql::new("SELECT fault, delay_ms FROM vendor_faults WHERE vendor_id = $1");
    static SET_DEFAULT = Sql::new(
        "INSERT INTO vendor_faults (vendor_id, fault, delay_ms) VALUES ($1, $2, $3)
         ON CONFLICT (vendor_id) DO UPDATE SET fault = excluded.fault, delay_ms = excluded.delay_ms",
    );
    static CLEAR_DEFAULT = Sql::new("DELETE FROM vendor_faults WHERE vendor_id = $1");
}

/// The faults of the sandbox.
#[derive(Debug, Clone)]
pub struct Faults {
    pub(super) engine: Arc<Engine>,
}

/// A fault that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedFault {
    pub event: EventId,
    pub planned: PlannedFault,
    pub at: Timestamp,
    /// The word of what came of the request that had the fault, if there was one and it has ended.
    pub result: Option<String>,
    /// The HTTP status of its answer.
    pub status: Option<u16>,
}

impl Faults {
    pub(crate) fn new(sandbox: Arc<Engine>) -> Self {
        Self { engine: sandbox }
    }

    /// The fault to play with the first attempt of an event; `None` if it is to be delivered rightly, and if the fault was
    /// played.
    pub async fn planned(&self, event: EventId) -> Result<Option<PlannedFault>, StoreError> {
        let rows = self.engine.read(&PLANNED, vec![event.as_bytes().into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(None) };
        let choice = read_choice(&mut row)?;
        let played = row.opt_time()?.is_some();
        Ok(planned(choice).filter(|_| !played))
    }

    /// How the tester wants the callback about the end of a session to be delivered; `None` if nothing was chosen, or played
    /// already.
    pub async fn chosen(&self, session: SessionId) -> Result<Option<DeliveryChoice>, StoreError> {
        let params = vec![session.as_bytes().into(), (&OWN_STATUS).into()];
        let rows = self.engine.read(&CHOSEN, params).await?;
        rows.into_iter().next().map(|mut row| read_choice(&mut row)).transpose()
    }

    /// The faults that were played with the callbacks of a session, oldest first.
    pub async fn played(&self, session: SessionId) -> Result<Vec<PlayedFault>, StoreError> {
        let rows = self.engine.read(&PLAYED, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_played).collect()
    }

    /// The newest event of the same order that is older than this one, with its body.
    pub async fn older_of_order(
        &self,
        vendor: VendorId,
        event: EventId,
    ) -> Result<Option<(EventId, Vec<u8>)>, StoreError> {
        let id = Value::from(event.as_bytes());
        let rows = self.engine.read(&OLDER_OF_ORDER, vec![vendor.as_bytes().into(), id.clone(), id]).await?;
        let read = |mut row: Row| Ok((EventId::from_bytes(row.array()?), row.bytes()?));
        rows.into_iter().next().map(read).transpose()
    }

    /// How the callbacks of a vendor are delivered where the tester chooses nothing.
    pub async fn default_of(&self, vendor: VendorId) -> Result<DeliveryChoice, StoreError> {
        let rows = self.engine.read(&DEFAULT, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(DeliveryChoice::default()), |mut row| read_choice(&mut row))
    }

    /// Stores a vendor's default. It counts for events that were not tried yet.
    pub async fn set_default(&self, vendor: VendorId, choice: DeliveryChoice) -> Result<(), StoreError> {
        let id = vendor.as_bytes().into();
        let statement = match choice.fault {
            None => Statement { sql: &CLEAR_DEFAULT, params: vec![id], guarded: false },
            Some(fault) => {
                let params = vec![id, fault.as_str().into(), millis(choice.delay)];
                Statement { sql: &SET_DEFAULT, params, guarded: false }
            }
        };
        self.engine.write(vec![statement]).await.map(drop)
    }
}

pub(crate) fn choose(chosen_for: ChosenFor, choice: DeliveryChoice) -> Vec<Value> {
    let about = chosen_for.about().unwrap_or(OWN_STATUS);
    vec![chosen_for.session().as_bytes().into(), (&about).into(), choice.word().into(), millis(choice.delay)]
}

pub(crate) fn play(event: EventId, planned: PlannedFault, at: Timestamp) -> Vec<Value> {
    vec![event.as_bytes().into(), planned.fault.as_str().into(), millis(planned.delay), at.into()]
}

pub(crate) fn end(event: EventId, result: AttemptResult) -> Vec<Value> {
    vec![event.as_bytes().into(), result.as_str().into(), result.status().map(i64::from).into()]
}

fn millis(delay: Duration) -> Value {
    i64::try_from(delay.as_millis()).unwrap_or(i64::MAX).into()
}

fn planned(choice: DeliveryChoice) -> Option<PlannedFault> {
    choice.fault.map(|fault| PlannedFault { fault, delay: choice.delay })
}

fn read_choice(row: &mut Row) -> Result<DeliveryChoice, StoreError> {
    let (word, delay) = (row.text()?, row.int()?);
    let fault = Fault::parse(&word);
    if fault.is_none() && word != DeliveryChoice::NONE {
        return Err(StoreError::Corrupt(format!("fault {word:?}")));
    }
    Ok(DeliveryChoice { fault, delay: Duration::from_millis(u64::try_from(delay).unwrap_or(0)) })
}

fn read_played(mut row: Row) -> Result<PlayedFault, StoreError> {
    let event = EventId::from_bytes(row.array()?);
    let planned = planned(read_choice(&mut row)?);
    let planned = planned.ok_or_else(|| StoreError::Corrupt("a fault that is none".to_owned()))?;
    Ok(PlayedFault {
        event,
        planned,
        at: row.time()?,
        result: row.opt_text()?,
        status: row.opt_int()?.and_then(|status| u16::try_from(status).ok()),
    })
}
