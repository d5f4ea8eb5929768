//! What only live has to erase: receipts, and the mails that sent them.

use crate::{
    engine::sql::{Sql, statements},
    payments::erasure::{closed, erasable, erase},
};

statements! {
    pub(crate) static ERASABLE = erasable!(live);
    pub(crate) static ERASE = erase!(live);
    pub(crate) static ERASE_RECEIPTS =
        Sql::new("UPDATE receipts SET email = NULL WHERE session_id = $1 AND email IS NOT NULL");
    pub(crate) static ERASE_RECIPIENTS = Sql::new(
        "UPDATE dispatches SET recipient = '' WHERE session_id = $1 AND kind = 'receipt' AND recipient <> ''",
    );
}
