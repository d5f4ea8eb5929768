//! What only live has to erase: receipts, and the mails that sent them.

use crate::{
    engine::sql::{Sql, statements},
    payments::erasure::{closed, erasable, erase},
};

statements! {
    pub(crate) static ERASABLE = erasable!(
        " AND NOT EXISTS (SELECT 1 FROM dispatches AS d WHERE d.session_id = erasures.session_id AND d.state = 'queued')"
    );
    pub(crate) static ERASE = erase!(
        " AND NOT EXISTS (SELECT 1 FROM dispatches AS d WHERE d.session_id = erasures.session_id AND d.state = 'queued')"
    );
    pub(crate) static ERASE_RECEIPTS =
        Sql::new("UPDATE receipts SET email = NULL WHERE session_id = $1 AND email IS NOT NULL");
    pub(crate) static ERASE_RECIPIENTS = Sql::new(
        "UPDATE dispatches SET recipient = '' WHERE session_id = $1 AND kind = 'receipt' AND recipient <> ''",
    );
}
