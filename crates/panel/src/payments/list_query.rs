//! The filters and the page of a list, parsed from the address.

use crate::{
    payments::{
        VendorScope,
        lists::view::{List, ListFilter},
    },
    sealed_search,
    visit::{Fields, Visit},
};
use std::fmt::Display;
use till_domain::{method::Method, time::TimeZone};
use till_store::{Span, Turn};

/// Lines per page.
pub(crate) const LINES: usize = 25;

/// The filters of a list.
#[derive(Debug, Clone)]
pub(crate) struct ListQuery {
    /// The filters as typed.
    pub narrowed: ListFilter,
    /// The method filter.
    pub method: Option<Method>,
    /// The period filter.
    pub span: Span,
}

impl ListQuery {
    /// Reads the filters of a visit. A word that is not among the choices is ignored.
    pub fn read(scope: &VendorScope<'_>, visit: &Visit, list: List) -> Self {
        let query = &visit.query;
        let mut read = Self::read_fields(&scope.zone, query, list);
        let sealed = query.get(sealed_search::PARAMETER);
        if !sealed.is_empty() && list.has_search() {
            match scope.open_search(sealed) {
                Some(email) => {
                    read.narrowed.q = email;
                    sealed.clone_into(&mut read.narrowed.customer);
                }
                // Without the filter the list would look like that customer's.
                None => read.narrowed.wrong_customer = true,
            }
        }
        read
    }

    /// Reads the filters of a search that was posted. Its address has an e-mail address encrypted.
    pub fn posted(scope: &VendorScope<'_>, visit: &Visit, list: List) -> Self {
        let mut read = Self::read_fields(&scope.zone, &visit.form, list);
        read.narrowed.customer = scope.seal_search(&read.narrowed.q).unwrap_or_default();
        read
    }

    /// Reads the filters that any list has; days are those of the time zone.
    pub fn read_fields(zone: &TimeZone, query: &Fields, list: List) -> Self {
        let text = |name| query.get(name).to_owned();
        let method = Method::parse(query.get("method"));
        let status = list.choices().iter().find(|word| **word == query.get("status"));
        let (from, to) = (text("from"), text("to"));
        let day = |text: &str, bound: &dyn Fn(&str) -> Option<_>| match text {
            "" => Ok(None),
            text => bound(text).map(Some).ok_or(()),
        };
        let since = day(&from, &|day| zone.day_start(day));
        let until = day(&to, &|day| zone.day_end(day));
        let reversed = matches!((&since, &until), (Ok(Some(since)), Ok(Some(until))) if until <= since);
        let narrowed = ListFilter {
            q: text("q"),
            customer: String::new(),
            environment: String::new(),
            vendor: String::new(),
            wrong_vendor: false,
            wrong_customer: false,
            status: status.copied().unwrap_or_default().to_owned(),
            method: method.map_or("", Method::as_str).to_owned(),
            currency: String::new(),
            wrong_from: since.is_err(),
            wrong_to: until.is_err() || reversed,
            from,
            to,
        };
        let span = Span { since: since.ok().flatten(), until: until.ok().flatten() };
        Self { narrowed, method, span }
    }

    /// True if a day, the vendor or the customer is invalid.
    pub fn is_wrong(&self) -> bool {
        let wrong = &self.narrowed;
        wrong.wrong_from || wrong.wrong_to || wrong.wrong_vendor || wrong.wrong_customer
    }

    /// The search text, if any: as typed, and trimmed.
    pub fn searched(&self) -> Option<[&str; 2]> {
        let trimmed = self.narrowed.q.trim();
        (!trimmed.is_empty()).then_some([self.narrowed.q.as_str(), trimmed])
    }
}

/// The page that an address names (keyset pagination).
pub(crate) fn turn<Id>(query: &Fields, parse: impl Fn(&str) -> Option<Id>) -> Turn<Id> {
    match (parse(query.get("before")), parse(query.get("after"))) {
        (Some(id), _) => Turn::Older(id),
        (None, Some(id)) => Turn::Newer(id),
        (None, None) => Turn::Newest,
    }
}

/// One more than the lines per page, which tells whether another page follows.
pub(crate) fn limit() -> u32 {
    u32::try_from(LINES + 1).unwrap_or(u32::MAX)
}

/// The rows of a page, and the links to the pages beside it.
#[derive(Debug)]
pub(crate) struct Leaf<Row> {
    pub rows: Vec<Row>,
    pub newer: Option<String>,
    pub older: Option<String>,
}

impl<Row> Leaf<Row> {
    /// Cuts a page out of rows, newest first, of which one more than a page was read. `None` if a newer page
    /// was asked for that is the first page: that one is shown then.
    pub fn cut<Id: Display>(
        mut rows: Vec<Row>,
        turn: &Turn<Id>,
        (path, narrowed): (&str, &ListFilter),
        id: impl Fn(&Row) -> Id,
    ) -> Option<Self> {
        let goes_on = rows.len() > LINES;
        if goes_on {
            if matches!(turn, Turn::Newer(_)) {
                rows.drain(..rows.len() - LINES);
            }
            rows.truncate(LINES);
        }
        let (has_newer, has_older) = match turn {
            Turn::Newest => (false, goes_on),
            Turn::Older(_) => (true, goes_on),
            Turn::Newer(_) if !goes_on => return None,
            Turn::Newer(_) => (true, true),
        };
        let href = |name: &str, row: Option<&Row>| match row {
            Some(row) => narrowed.href(path, &[(name, &id(row).to_string())]),
            None => narrowed.href(path, &[]),
        };
        Some(Self {
            newer: has_newer.then(|| href("after", rows.first())),
            older: has_older.then(|| href("before", rows.last())),
            rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(
        rows: std::ops::Range<u32>,
        turn: Turn<u32>,
    ) -> Option<(Vec<u32>, Option<String>, Option<String>)> {
        let rows: Vec<u32> = rows.rev().collect();
        let page = Leaf::cut(rows, &turn, (List::Sessions.path(), &ListFilter::default()), |row| *row)?;
        Some((page.rows, page.newer, page.older))
    }

    #[test]
    fn pages_lead_to_each_other() {
        let (rows, newer, older) = cut(0..26, Turn::Newest).expect("a page");
        assert_eq!((rows.len(), rows[0], newer), (25, 25, None));
        assert_eq!(older.as_deref(), Some("/panel/sessions?before=1"));
        let (rows, newer, older) = cut(0..3, Turn::Older(3)).expect("a page");
        assert_eq!((rows.len(), newer.as_deref(), older), (3, Some("/panel/sessions?after=2"), None));
        let (rows, newer, older) = cut(10..36, Turn::Newer(9)).expect("a page");
        assert_eq!((rows.len(), rows[0], rows[24]), (25, 34, 10), "those next to the page before");
        assert_eq!(newer.as_deref(), Some("/panel/sessions?after=34"));
        assert_eq!(older.as_deref(), Some("/panel/sessions?before=10"));
        assert!(cut(10..20, Turn::Newer(9)).is_none(), "the first page is always full");
        let (rows, newer, older) = cut(0..0, Turn::Older(3)).expect("a page");
        assert_eq!((rows.len(), newer.as_deref(), older), (0, Some("/panel/sessions"), None));
    }
}
