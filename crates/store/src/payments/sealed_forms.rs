//! The values of providers' forms that are sealed with the master key, for its rotation.

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Sql, Statement, statements},
    },
    payments::{
        Payments,
        attempts::{instructions_from_text, instructions_to_text},
    },
};
use till_domain::{
    attempt::{Instructions, Values},
    id::AttemptId,
};

statements! {
    // By id alone, so that each step reads a bounded number of rows, however few of them have a form.
    static FORMS = Sql::new("SELECT id, shown FROM payment_attempts WHERE id > $1 ORDER BY id LIMIT $2");
    static COUNT = Sql::new("SELECT COUNT(*) FROM payment_attempts");
    // The guard (compare-and-set): a form that was replaced meanwhile stays.
    static RESEAL = Sql::new(
        "UPDATE payment_attempts SET shown = $3, version = version + 1 WHERE id = $1 AND shown = $2",
    );
}

/// A step over the attempts of an environment.
#[derive(Debug, Default)]
pub struct SealedForms {
    /// The forms whose values are sealed.
    pub forms: Vec<SealedForm>,
    /// Attempts whose form cannot be read at all.
    pub unreadable: Vec<AttemptId>,
    /// The number of attempts that were read.
    pub read: u64,
    /// The last of them; `None` after the last step.
    pub last: Option<AttemptId>,
}

/// A provider's form whose values are sealed.
#[derive(Debug)]
pub struct SealedForm {
    pub attempt: AttemptId,
    /// The sealed values, as they are stored.
    pub values: String,
    instructions: Instructions,
    text: String,
}

impl Payments {
    /// The number of attempts.
    pub async fn count_attempts(&self) -> Result<u64, StoreError> {
        let rows = self.engine.browse(&COUNT, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The sealed forms of the next attempts by id.
    pub async fn sealed_forms(
        &self,
        after: Option<AttemptId>,
        limit: u32,
    ) -> Result<SealedForms, StoreError> {
        let after = after.as_ref().map_or(&[0_u8; 0][..], |id| id.as_bytes());
        let rows = self.engine.browse(&FORMS, vec![after.into(), i64::from(limit).into()]).await?;
        let mut step = SealedForms { read: rows.len() as u64, ..SealedForms::default() };
        for mut row in rows {
            let attempt = AttemptId::from_bytes(row.array()?);
            step.last = Some(attempt);
            let Some(text) = row.opt_text()? else { continue };
            let Some(instructions) = instructions_from_text(&text) else {
                step.unreadable.push(attempt);
                continue;
            };
            if let Instructions::Embedded { values: Values::Sealed(values), .. } = &instructions {
                let values = values.clone();
                step.forms.push(SealedForm { attempt, values, instructions, text });
            }
        }
        Ok(step)
    }

    /// Replaces the sealed values of a form. False if it was replaced since it was read.
    pub async fn reseal_form(&self, form: &SealedForm, values: String) -> Result<bool, StoreError> {
        let Instructions::Embedded { origins, .. } = &form.instructions else { return Ok(false) };
        let instructions =
            Instructions::Embedded { origins: origins.clone(), values: Values::Sealed(values) };
        let text = instructions_to_text(&instructions);
        let params = vec![form.attempt.as_bytes().into(), form.text.as_str().into(), text.into()];
        let written = self.engine.write(vec![Statement { sql: &RESEAL, params, guarded: true }]).await?;
        Ok(written == WriteOutcome::Done)
    }
}
