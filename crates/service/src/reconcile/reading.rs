//! Reads a provider's records of a period, in parts if it has too many for one list.

use std::time::Duration;
use till_domain::time::Timestamp;
use till_providers::{Books, ProviderError, Record};

/// The shortest part of a period.
const SHORTEST: Duration = Duration::from_secs(60);

/// The records of a period, read in parts of at most `window`. A part with too many is halved, and the window with it:
/// the next days have about as many.
pub(super) async fn records(
    books: &dyn Books,
    window: &mut Duration,
    (from, to): (Timestamp, Timestamp),
) -> Result<Vec<Record>, ProviderError> {
    let (mut all, mut start) = (Vec::new(), from);
    while start < to {
        let end = start.plus(*window).min(to);
        if let Some(part) = books.records(start, end).await? {
            all.extend(part);
            start = end;
        } else if end.since(start) > SHORTEST {
            *window = (end.since(start) / 2).max(SHORTEST);
        } else {
            let text = format!("the provider has more payments in the minute from {start} than it lists");
            return Err(ProviderError::Unclear(text));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::BoxFuture;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use till_domain::attempt::Quantity;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    /// Books with a payment every few seconds, which list at most a hundred.
    #[derive(Debug)]
    struct Busy {
        every: Duration,
        asked: AtomicU32,
    }

    impl Busy {
        fn record(at: Timestamp) -> Record {
            let nothing = Quantity { atoms: 0, decimals: 2, unit: "USD".to_owned() };
            let (taken, returned) = (nothing.clone(), Some(nothing));
            Record { payment: at.to_string(), attempt: None, taken, returned, disputed: false, at }
        }
    }

    impl Books for Busy {
        fn records<'a>(
            &'a self,
            from: Timestamp,
            to: Timestamp,
        ) -> BoxFuture<'a, Result<Option<Vec<Record>>, ProviderError>> {
            self.asked.fetch_add(1, Relaxed);
            let every = i64::try_from(self.every.as_millis()).expect("a short time");
            let first = (from.as_ms() + every - 1).div_euclid(every);
            let all = (first..).map(|number| Timestamp::from_ms(number * every)).take_while(|at| *at < to);
            let all: Vec<Record> = all.take(101).map(Self::record).collect();
            Box::pin(async { Ok((all.len() <= 100).then_some(all)) })
        }

        fn record<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>> {
            Box::pin(async { Ok(None) })
        }
    }

    #[tokio::test]
    async fn a_day_with_too_many_payments_is_read_in_parts_and_each_is_read_once() {
        let books = Busy { every: Duration::from_secs(60), asked: AtomicU32::new(0) };
        let from = Timestamp::parse("2026-11-01T00:00:00Z").expect("a time");
        let mut window = DAY;
        let all = records(&books, &mut window, (from, from.plus(DAY))).await.expect("records");
        let times: Vec<i64> = all.iter().map(|record| record.at.as_ms()).collect();
        let expected: Vec<i64> = (0..24 * 60).map(|minute| from.as_ms() + minute * 60_000).collect();
        assert_eq!(times, expected);
        // 24 hours, 12, 6, 3, and then 16 parts of an hour and a half.
        assert_eq!((window, books.asked.swap(0, Relaxed)), (DAY / 16, 4 + 16));
        let next = (from.plus(DAY), from.plus(DAY * 2));
        assert_eq!(records(&books, &mut window, next).await.expect("records").len(), 24 * 60);
        assert_eq!(books.asked.load(Relaxed), 16, "the next day begins with what fits");
    }

    #[tokio::test]
    async fn more_than_a_list_in_a_minute_is_an_error() {
        let books = Busy { every: Duration::from_millis(500), asked: AtomicU32::new(0) };
        let from = Timestamp::parse("2026-11-01T00:00:00Z").expect("a time");
        let answer = records(&books, &mut DAY.clone(), (from, from.plus(DAY))).await;
        assert!(matches!(answer, Err(ProviderError::Unclear(_))), "{answer:?}");
    }
}
