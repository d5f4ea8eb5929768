//! Actions: what a person has to decide about money, who works on it, and the notes of people.
//!
//! A page of a list is a range of an index that has the rows in order: the cost of a page does not depend on
//! the number of decided actions. Open actions are few, as people work on them; their filters are checked row
//! by row.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        Payments,
        money::{corrupt, opt_id},
    },
};
use std::time::Duration;
use till_domain::{
    finding::Finding,
    id::{ActionId, NoteId, SessionId, TransactionId, VendorId},
    money::{Currency, Money},
    time::Timestamp,
    transaction::{Action, ActionKind, ActionNote, Resolution},
};

/// The most decisions that the figures are made of, and the most notes that are read of one action.
const MAX_DECISIONS: i64 = 10_000;
const MAX_NOTES: i64 = 200;

macro_rules! select_action {
    ($($rest:expr),*) => {
        Sql::new(concat!(
            "SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency, due_at, assignee
             FROM actions ",
            $($rest),*
        ))
    };
}

/// The filters of open actions: `$1` vendor or NULL, `$2` kind or empty, `$3` assignee, empty for all, `-` for
/// none.
macro_rules! open_filters {
    () => {
        "resolution IS NULL AND (CAST($1 AS BYTEA) IS NULL OR vendor_id = $1) AND ($2 = '' OR kind = $2)
            AND ($3 = '' OR $3 = '-' AND assignee IS NULL OR assignee = $3)"
    };
}

/// A page of actions that may be decided: `$1` below, `$2` limit, `$3` true for open ones too, then those of
/// the condition.
macro_rules! kept {
    ($condition:literal) => {
        select_action!(
            "WHERE ",
            $condition,
            " AND id < $1 AND ($3 OR resolution IS NOT NULL) ORDER BY id DESC LIMIT $2"
        )
    };
}

/// The decisions of people since `$1`, newest first, at most `$2`.
macro_rules! recent {
    ($what:literal, $rest:literal) => {
        Sql::new(concat!(
            "SELECT ",
            $what,
            " FROM (SELECT resolved_at - created_at AS took FROM actions
                WHERE resolved_at >= $1 AND resolved_by <> 'system' ORDER BY resolved_at DESC LIMIT $2) AS recent",
            $rest
        ))
    };
}

statements! {
    // The guard: a finding at a provider is entered once.
    pub(crate) static NEED_ACTION = Sql::new(
        "INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at, subject, note, amount_minor,
            currency, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (subject) WHERE subject IS NOT NULL DO NOTHING",
    );
    // The guard: a decision is final.
    pub(crate) static RESOLVE_ACTION = Sql::new(
        "UPDATE actions SET resolution = $2, resolved_at = $3, resolved_by = $4
         WHERE id = $1 AND resolution IS NULL",
    );
    // The guard: the note of a decided action is final.
    pub(crate) static NOTE_ACTION =
        Sql::new("UPDATE actions SET note = $2, due_at = $3 WHERE id = $1 AND resolution IS NULL");
    // The guard: the assignee is the one that was read, and nothing is decided.
    pub(crate) static ASSIGN_ACTION = Sql::new(
        "UPDATE actions SET assignee = $2
         WHERE id = $1 AND resolution IS NULL AND COALESCE(assignee, '') = COALESCE($3, '')",
    );
    // The guard is a trigger: a decided action takes no notes.
    pub(crate) static ADD_NOTE = Sql::new(
        "INSERT INTO action_notes (id, action_id, created_at, author, body) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO NOTHING",
    );
    static OPEN =
        select_action!("WHERE ", open_filters!(), " AND id < $4 ORDER BY id DESC LIMIT $5");
    static DUE = select_action!(
        "WHERE ",
        open_filters!(),
        " AND due_at IS NOT NULL AND (due_at, id) > ($4, $5) ORDER BY due_at, id LIMIT $6"
    );
    static KEPT = kept!("TRUE");
    static KEPT_OF_VENDOR = kept!("vendor_id = $4 AND (NOT $5 OR assignee IS NULL)");
    static KEPT_OF_KIND = kept!("kind = $4 AND (NOT $5 OR assignee IS NULL)");
    static KEPT_OF_VENDOR_AND_KIND =
        kept!("vendor_id = $4 AND kind = $5 AND (NOT $6 OR assignee IS NULL)");
    static KEPT_ASSIGNED = kept!(
        "assignee = $4 AND (CAST($5 AS BYTEA) IS NULL OR vendor_id = $5) AND ($6 = '' OR kind = $6)"
    );
    static KEPT_UNASSIGNED = kept!("assignee IS NULL");
    static ACTION = select_action!("WHERE id = $1");
    static ACTION_ABOUT = select_action!("WHERE subject = $1");
    static ACTIONS_OF_SESSION = select_action!("WHERE session_id = $1 ORDER BY id");
    static OLDEST_OPEN_ACTION =
        Sql::new("SELECT created_at FROM actions WHERE resolution IS NULL ORDER BY id LIMIT 1 OFFSET $1");
    static OPEN_ACTIONS = Sql::new("SELECT COUNT(*) FROM actions WHERE resolution IS NULL");
    static DECIDED_LATELY = recent!("COUNT(*)", "");
    static TIME_TO_DECIDE = recent!("took", " ORDER BY took LIMIT 1 OFFSET $3");
    static NOTES = Sql::new(
        "SELECT id, created_at, author, body FROM action_notes WHERE action_id = $1 ORDER BY id DESC LIMIT $2",
    );
}

/// An action as it is stored: something that a person has to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAction {
    pub action: Action,
    /// The decision, when it was made and by which user, once there is one.
    pub decided: Option<(Resolution, Timestamp, String)>,
    /// The email address of the operator who works on it, or did until the decision.
    pub assignee: Option<String>,
}

impl StoredAction {
    /// True if its money was accepted as the vendor's.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self.decided, Some((Resolution::Accept, ..)))
    }
}

/// The actions of a list by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ActionsShown {
    /// Those that wait for a decision, newest first.
    #[default]
    Open,
    /// Those of them with a due time, the earliest first.
    Due,
    /// Those that were decided, newest first.
    Decided,
    /// All of them, newest first.
    All,
}

/// The actions of a list by the operator they are assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AssigneeFilter {
    #[default]
    Anyone,
    /// Those that are assigned to no operator.
    Nobody,
    /// Those of the operator with this email address.
    Is(String),
}

/// A filter of actions.
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// Only actions of this vendor.
    pub vendor: Option<VendorId>,
    /// Only actions of this kind.
    pub kind: Option<ActionKind>,
    pub assignee: AssigneeFilter,
    pub shown: ActionsShown,
    /// Keyset cursor: only actions after this one in the order of the list.
    pub before: Option<ActionId>,
}

/// How long actions wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ActionFigures {
    /// The number of open actions.
    pub open: u64,
    /// When the oldest open action was entered.
    pub oldest: Option<Timestamp>,
    /// When the middle one of the open actions was entered: half of them are older or as old.
    pub middle: Option<Timestamp>,
    /// The number of decisions by people in the period, at most 10,000.
    pub decided: u64,
    /// The median time from the entry of an action to its decision, of the same decisions.
    pub time_to_decide: Option<Duration>,
}

impl ActionFilter {
    fn vendor_param(&self) -> Value {
        self.vendor.as_ref().map(|vendor| vendor.as_bytes().as_slice()).into()
    }

    fn kind_word(&self) -> &'static str {
        self.kind.map_or("", ActionKind::as_str)
    }

    fn open_params(&self) -> Vec<Value> {
        let assignee = match &self.assignee {
            AssigneeFilter::Anyone => "",
            AssigneeFilter::Nobody => "-",
            AssigneeFilter::Is(email) => email.as_str(),
        };
        vec![self.vendor_param(), self.kind_word().into(), assignee.into()]
    }

    /// The statement whose index has the rows of this filter together, and the values of its condition.
    fn kept(&self) -> (&'static Sql, Vec<Value>) {
        let nobody = self.assignee == AssigneeFilter::Nobody;
        match (&self.assignee, &self.vendor, self.kind) {
            (AssigneeFilter::Is(email), ..) => {
                (&KEPT_ASSIGNED, vec![email.as_str().into(), self.vendor_param(), self.kind_word().into()])
            }
            (_, Some(vendor), Some(kind)) => {
                let values = vec![vendor.as_bytes().into(), kind.as_str().into(), nobody.into()];
                (&KEPT_OF_VENDOR_AND_KIND, values)
            }
            (_, Some(vendor), None) => (&KEPT_OF_VENDOR, vec![vendor.as_bytes().into(), nobody.into()]),
            (_, None, Some(kind)) => (&KEPT_OF_KIND, vec![kind.as_str().into(), nobody.into()]),
            (AssigneeFilter::Nobody, None, None) => (&KEPT_UNASSIGNED, Vec::new()),
            (AssigneeFilter::Anyone, None, None) => (&KEPT, Vec::new()),
        }
    }
}

impl Payments {
    /// A page of actions, in the order that [`ActionsShown`] gives.
    pub async fn actions(&self, filter: &ActionFilter, limit: u32) -> Result<Vec<StoredAction>, StoreError> {
        let below = filter.before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let (sql, params) = match filter.shown {
            ActionsShown::Open => {
                let mut params = filter.open_params();
                params.extend([below.into(), i64::from(limit).into()]);
                (&OPEN, params)
            }
            ActionsShown::Due => (&DUE, self.due_params(filter, limit).await?),
            ActionsShown::Decided | ActionsShown::All => {
                let (sql, values) = filter.kept();
                let with_open = filter.shown == ActionsShown::All;
                let mut params = vec![below.into(), i64::from(limit).into(), with_open.into()];
                params.extend(values);
                (sql, params)
            }
        };
        self.engine.browse(sql, params).await?.into_iter().map(read_action).collect()
    }

    /// The values of [`DUE`]: the cursor is an action, and its due time is read.
    async fn due_params(&self, filter: &ActionFilter, limit: u32) -> Result<Vec<Value>, StoreError> {
        let last = match filter.before {
            Some(id) => self.action(id).await?,
            None => None,
        };
        let last = last.and_then(|stored| Some((stored.action.due_at()?, stored.action.id)));
        let (due_at, id) = last.map_or((i64::MIN, [0; 16]), |(at, id)| (at.as_ms(), *id.as_bytes()));
        let mut params = filter.open_params();
        params.extend([due_at.into(), (&id).into(), i64::from(limit).into()]);
        Ok(params)
    }

    pub async fn action(&self, id: ActionId) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// The action, open or decided, about the finding with this subject.
    pub async fn action_about(&self, subject: &str) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION_ABOUT, vec![subject.into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// The actions of a session, open or decided, oldest first. There are few of them in all.
    pub async fn actions_of(&self, session: SessionId) -> Result<Vec<StoredAction>, StoreError> {
        let rows = self.engine.browse(&ACTIONS_OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_action).collect()
    }

    /// When the oldest open action was entered.
    pub async fn oldest_open_action(&self) -> Result<Option<Timestamp>, StoreError> {
        self.open_action_at(0).await
    }

    /// When an open action was entered, counted from the oldest.
    async fn open_action_at(&self, number: i64) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&OLDEST_OPEN_ACTION, vec![number.into()]).await?;
        rows.into_iter().next().map(|mut row| row.time()).transpose()
    }

    /// The number of open actions.
    pub async fn open_actions(&self) -> Result<i64, StoreError> {
        let rows = self.engine.read(&OPEN_ACTIONS, vec![]).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
    }

    /// How long actions wait: the open ones, and those that people decided since this time.
    pub async fn action_figures(&self, since: Timestamp) -> Result<ActionFigures, StoreError> {
        let open = self.open_actions().await?;
        let oldest = self.oldest_open_action().await?;
        let middle = self.open_action_at((open - 1).max(0) / 2).await?;
        let span = || vec![Value::from(since), MAX_DECISIONS.into()];
        let rows = self.engine.browse(&DECIDED_LATELY, span()).await?;
        let decided = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        let mut params = span();
        params.push(((decided - 1).max(0) / 2).into());
        let rows = self.engine.browse(&TIME_TO_DECIDE, params).await?;
        let took = rows.into_iter().next().map(|mut row| row.int()).transpose()?;
        let number = |count: i64| u64::try_from(count).unwrap_or(0);
        Ok(ActionFigures {
            open: number(open),
            oldest,
            middle,
            decided: number(decided),
            time_to_decide: took.map(|ms| Duration::from_millis(number(ms))),
        })
    }

    /// The notes on an action, oldest first; the newest of them if there are very many.
    pub async fn notes_on(&self, action: ActionId) -> Result<Vec<ActionNote>, StoreError> {
        let params = vec![action.as_bytes().into(), MAX_NOTES.into()];
        let read = |mut row: Row| {
            let id = NoteId::from_bytes(row.array()?);
            Ok(ActionNote { id, action, at: row.time()?, by: row.text()?, text: row.text()? })
        };
        let newest = self.engine.browse(&NOTES, params).await?;
        newest.into_iter().rev().map(read).collect()
    }
}

/// The values of [`NEED_ACTION`].
pub(crate) fn action(action: &Action) -> Vec<Value> {
    let finding = action.finding.as_ref();
    vec![
        action.id.as_bytes().into(),
        action.kind.as_str().into(),
        action.session.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.vendor.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.transaction.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.at.into(),
        finding.map(|finding| finding.subject.as_str()).into(),
        finding.map(|finding| finding.note.as_str()).into(),
        action.amount().map(|amount| amount.minor).into(),
        action.amount().map(|amount| amount.currency.code()).into(),
        action.due_at().into(),
    ]
}

/// The values of [`ADD_NOTE`].
pub(crate) fn note(note: &ActionNote) -> Vec<Value> {
    vec![
        note.id.as_bytes().into(),
        note.action.as_bytes().into(),
        note.at.into(),
        note.by.as_str().into(),
        note.text.as_str().into(),
    ]
}

/// Reads columns in the order of `select_action!`.
fn read_action(mut row: Row) -> Result<StoredAction, StoreError> {
    let id = ActionId::from_bytes(row.array()?);
    let kind = row.text()?;
    let kind = ActionKind::parse(&kind).ok_or_else(|| corrupt("kind", &kind))?;
    let session = opt_id(&mut row)?.map(SessionId::from_bytes);
    let vendor = opt_id(&mut row)?.map(VendorId::from_bytes);
    let transaction = opt_id(&mut row)?.map(TransactionId::from_bytes);
    let at = row.time()?;
    let (resolution, when, by) = (row.opt_text()?, row.opt_time()?, row.opt_text()?);
    let decided = match (resolution, when, by) {
        (Some(word), Some(when), Some(by)) => {
            let resolution = Resolution::parse(&word).ok_or_else(|| corrupt("resolution", &word))?;
            Some((resolution, when, by))
        }
        _ => None,
    };
    let finding = read_finding(&mut row)?;
    let assignee = row.opt_text()?;
    let action = Action { id, kind, session, vendor, transaction, finding, at };
    Ok(StoredAction { action, decided, assignee })
}

fn read_finding(row: &mut Row) -> Result<Option<Finding>, StoreError> {
    let (subject, note) = (row.opt_text()?, row.opt_text()?);
    let (minor, code) = (row.opt_int()?, row.opt_text()?);
    let due_at = row.opt_time()?;
    let Some((subject, note)) = subject.zip(note) else { return Ok(None) };
    let money = |(minor, code): (i64, String)| {
        let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
        Ok(Money { minor, currency })
    };
    let amount = minor.zip(code).map(money).transpose()?;
    Ok(Some(Finding { subject, note, amount, due_at }))
}
