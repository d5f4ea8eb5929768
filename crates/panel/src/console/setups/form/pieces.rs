//! The pieces of a set-up's form in the order of the page: fields, rows that open and close, folds.

use till_providers::form::{
    FieldKind, FilledForm, FormField, KeptSecret, SetupProblem, hint_of, looks_secret,
};

/// The fewest fields that a list of secrets has.
const FEWEST: usize = 2;

/// A piece of the form.
#[derive(Debug, Clone)]
pub enum Piece {
    /// The heading of a list of rows.
    List {
        id: String,
        word: String,
        problems: Vec<SetupProblem>,
    },
    RowOpens(RowPiece),
    RowCloses(RowPiece),
    /// The fold of fields that are rarely changed.
    FoldOpens {
        id: String,
        open: bool,
    },
    FoldCloses,
    Field(Box<FieldPiece>),
}

/// A row: a chain, a coin, a price.
#[derive(Debug, Clone)]
pub struct RowPiece {
    pub name: String,
    /// The word of its list in translation keys: `evm-chain`.
    pub word: String,
    pub number: usize,
    /// True for the empty row at the end, which adds one.
    pub is_new: bool,
    /// True for an empty row that is open, because it is the only one.
    pub open: bool,
    /// True if its fields stand side by side.
    pub is_leaf: bool,
}

/// A field.
#[derive(Debug, Clone)]
pub struct FieldPiece {
    /// Its name and id.
    pub name: String,
    /// Its word in translation keys: `stripe-secret_key`.
    pub word: String,
    /// Its number in a list.
    pub number: Option<usize>,
    pub kind: FieldKind,
    pub required: bool,
    /// The value that counts without one, or an example.
    pub usual: &'static str,
    /// The value; empty for a secret, except for one that the page proposes.
    pub value: String,
    pub secret: SecretState,
    /// True if a kept secret can be removed.
    pub is_removable: bool,
    pub problems: Vec<SetupProblem>,
}

/// What is known of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretState {
    Unset,
    /// Stored, with what may be shown of it.
    Stored(String),
    /// Entered and not saved yet.
    Entered(String),
}

/// What the pieces are made from.
pub struct Builder<'a> {
    pub form: &'a FilledForm,
    pub problems: &'a [SetupProblem],
    /// A secret to propose for a new set-up.
    pub proposed: Option<&'a str>,
    pub pieces: Vec<Piece>,
}

impl Builder<'_> {
    /// Adds the fields of a table: first those that matter, then the others in a fold.
    pub fn table(&mut self, fields: &'static [FormField], prefix: &str, word: &str) {
        for field in fields.iter().filter(|field| !field.advanced) {
            self.field(field, prefix, word);
        }
        let advanced: Vec<_> = fields.iter().filter(|field| field.advanced).collect();
        if advanced.is_empty() {
            return;
        }
        let open = advanced.iter().any(|field| self.problems.iter().any(|p| p.field == field.name(prefix)));
        self.pieces.push(Piece::FoldOpens { id: format!("{prefix}more"), open });
        for field in advanced {
            self.field(field, prefix, word);
        }
        self.pieces.push(Piece::FoldCloses);
    }

    fn field(&mut self, field: &FormField, prefix: &str, word: &str) {
        let (name, word) = (field.name(prefix), format!("{word}-{}", field.key.replace('.', "-")));
        match field.kind {
            FieldKind::Rows(inside) => self.rows(inside, name, word),
            FieldKind::List(kind, most) => {
                let count = (self.form.values.numbers(&name).len() + 1).clamp(FEWEST.min(most), most);
                for number in 1..=count {
                    let item = FormField { kind: *kind, ..*field };
                    let piece = self.piece(&item, format!("{name}-{number}"), &word);
                    let is_removable = piece.secret != SecretState::Unset;
                    let required = field.required && number == 1;
                    let piece = FieldPiece { number: Some(number), is_removable, required, ..piece };
                    self.pieces.push(Piece::Field(Box::new(piece)));
                }
            }
            _ => {
                let piece = self.piece(field, name, &word);
                self.pieces.push(Piece::Field(Box::new(piece)));
            }
        }
    }

    fn rows(&mut self, inside: &'static [FormField], name: String, word: String) {
        let problems = self.about(&name);
        self.pieces.push(Piece::List { id: name.clone(), word: word.clone(), problems });
        let numbers = self.form.values.numbers(&name);
        let spare = numbers.last().map_or(1, |last| last + 1);
        let is_leaf = inside.iter().all(|field| !matches!(field.kind, FieldKind::Rows(_)));
        for number in numbers.iter().copied().chain([spare]) {
            let (is_new, open) = (number == spare, numbers.is_empty());
            let row = format!("{name}-{number}");
            let piece = RowPiece { name: row.clone(), word: word.clone(), number, is_new, open, is_leaf };
            self.pieces.push(Piece::RowOpens(piece.clone()));
            self.table(inside, &format!("{row}-"), &word);
            self.pieces.push(Piece::RowCloses(piece));
        }
    }

    fn about(&self, name: &str) -> Vec<SetupProblem> {
        self.problems.iter().filter(|problem| problem.field == name).cloned().collect()
    }

    fn piece(&self, field: &FormField, name: String, word: &str) -> FieldPiece {
        let known = self.form.values.get(&name);
        let secret = match self.form.kept.get(&name) {
            Some(KeptSecret::Stored(_)) => SecretState::Stored(hint_of(known)),
            Some(KeptSecret::Entered(_)) => SecretState::Entered(hint_of(known)),
            None => SecretState::Unset,
        };
        let value = match field.kind {
            FieldKind::Token if secret == SecretState::Unset => self.proposed.unwrap_or_default(),
            kind if kind.is_secret() => "",
            // A list of codes has many words and is no recovery phrase: each word is judged for itself.
            FieldKind::Words | FieldKind::Choices(..) if !known.split([',', ' ']).any(looks_secret) => known,
            _ if looks_secret(known) => "",
            _ => known,
        };
        FieldPiece {
            word: word.to_owned(),
            number: None,
            kind: field.kind,
            required: field.required,
            usual: field.usual,
            value: value.to_owned(),
            is_removable: !field.required && secret != SecretState::Unset,
            secret,
            problems: self.about(&name),
            name,
        }
    }
}
