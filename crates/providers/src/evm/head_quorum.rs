//! Chooses the head of the chain, so that one lying node among several cannot make anything count while
//! another one answers.
//!
//! 1. All nodes are asked at once. Those that fail are left out; if only one answers it is trusted, as it is
//!    where only one is set up. A node is also left out if its newest block is more than [`STILL`] seconds
//!    older than that of another one which is near our clock: it stands still, and of two nodes it would stop
//!    the chain.
//! 2. A node that is more than [`FAR`] blocks ahead of all others is left out, because no other node backs
//!    it. If no two are within that of each other, there is no head.
//! 3. The candidate is a number that at least two of the rest have reached.
//! 4. A transfer counts when `confirmations` blocks end with the candidate, so the last block that can count
//!    is the anchor: `candidate − confirmations + 1`. All nodes of the rest that have reached it must have
//!    the same hash there, and a hash covers everything before it. Two that contradict each other are named,
//!    and there is no head until they agree. The newest blocks may differ from node to node, as they do for a
//!    moment at every tip.

use super::{
    endpoint::{AskError, Endpoint},
    node::{Header, NodeError},
    rpc::block,
    wire,
};
use futures_util::future::join_all;
use serde_json::json;
use std::time::SystemTime;
use till_domain::chain::BlockHash;

/// The largest distance between the heads of nodes that follow the same chain.
const FAR: u64 = 50;

/// The largest difference between the times of two nodes' newest blocks, in seconds.
const STILL: u64 = 300;

/// A node with its newest block.
type Seen<'a> = (&'a Endpoint, Header);

/// The newest block that can be trusted.
pub async fn agreed(endpoints: &[Endpoint], confirmations: u32) -> Result<Header, NodeError> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seen = awake(heads(endpoints).await?, now);
    let (candidate, backing) = candidate(seen)?;
    let anchor = candidate.saturating_sub(u64::from(confirmations.saturating_sub(1)));
    let backing = same_at(anchor, backing).await?;
    let mut problems = vec![format!("no node has block {candidate} any more")];
    for (endpoint, head) in backing.iter().filter(|(_, head)| head.number >= candidate) {
        if head.number == candidate {
            return Ok(head.clone());
        }
        match block(endpoint, wire::hex_quantity(candidate)).await {
            Ok(Some(header)) if header.number == candidate => return Ok(header),
            Ok(_) => problems.push(format!("{}: {}", endpoint.host, AskError::Behind(candidate))),
            Err(error) => problems.push(format!("{}: {error}", endpoint.host)),
        }
    }
    Err(NodeError(problems.join("; ")))
}

/// The newest block of every node that answers. Nodes in backoff are asked only if all are.
async fn heads(endpoints: &[Endpoint]) -> Result<Vec<Seen<'_>>, NodeError> {
    let ready: Vec<&Endpoint> = endpoints.iter().filter(|endpoint| !endpoint.is_paused()).collect();
    let queried = if ready.is_empty() { endpoints.iter().collect() } else { ready };
    let answers = join_all(queried.iter().map(|endpoint| block(endpoint, json!("latest")))).await;
    let (mut seen, mut problems) = (Vec::new(), Vec::new());
    for (endpoint, answer) in queried.into_iter().zip(answers) {
        match answer.and_then(|head| head.ok_or(AskError::Malformed("eth_getBlockByNumber"))) {
            Ok(head) => {
                endpoint.worked();
                endpoint.saw_head(head.number);
                seen.push((endpoint, head));
            }
            Err(error) => {
                endpoint.failed(&error);
                problems.push(format!("{}: {error}", endpoint.host));
            }
        }
    }
    if seen.is_empty() { Err(NodeError(problems.join("; "))) } else { Ok(seen) }
}

/// Leaves out nodes that stand still, if another one does not.
fn awake(seen: Vec<Seen<'_>>, now: u64) -> Vec<Seen<'_>> {
    let times = seen.iter().map(|(_, head)| head.timestamp);
    let newest = times.filter(|time| time.abs_diff(now) <= STILL).max().unwrap_or(0);
    seen.into_iter().filter(|(_, head)| head.timestamp.saturating_add(STILL) >= newest).collect()
}

/// A number that two nodes have reached, and the nodes except those that are alone ahead, in their order.
fn candidate(seen: Vec<Seen<'_>>) -> Result<(u64, Vec<Seen<'_>>), NodeError> {
    if let [(_, only)] = seen.as_slice() {
        return Ok((only.number, seen));
    }
    let mut numbers: Vec<u64> = seen.iter().map(|(_, head)| head.number).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let backed = numbers.windows(2).find(|pair| pair[0] - pair[1] <= FAR);
    let Some(&[highest, candidate]) = backed.and_then(|pair| pair.first_chunk()) else {
        let said: Vec<String> = seen
            .iter()
            .map(|(endpoint, head)| format!("{} is at block {}", endpoint.host, head.number))
            .collect();
        return Err(NodeError(format!(
            "{}: no two nodes agree how far the chain is, so no payment counts until they do; remove the one \
             that is stuck or wrong, or add a third",
            said.join(", ")
        )));
    };
    Ok((candidate, seen.into_iter().filter(|(_, head)| head.number <= highest).collect()))
}

/// The nodes that have reached this block, if they all have the same one.
async fn same_at(anchor: u64, seen: Vec<Seen<'_>>) -> Result<Vec<Seen<'_>>, NodeError> {
    let seen: Vec<Seen<'_>> = seen.into_iter().filter(|(_, head)| head.number >= anchor).collect();
    if seen.len() < 2 {
        return Ok(seen);
    }
    let answers =
        join_all(seen.iter().map(|(endpoint, _)| block(endpoint, wire::hex_quantity(anchor)))).await;
    let mut agreeing: Vec<(Seen<'_>, BlockHash)> = Vec::new();
    for ((endpoint, head), answer) in seen.into_iter().zip(answers) {
        match answer {
            Ok(Some(header)) => agreeing.push(((endpoint, head), header.hash)),
            Ok(None) => endpoint.failed(&AskError::Behind(anchor)),
            Err(error) => endpoint.failed(&error),
        }
    }
    let other = agreeing.iter().find(|(_, hash)| agreeing.first().is_some_and(|(_, first)| first != hash));
    if let (Some(((one, _), hash)), Some(((two, _), other))) = (agreeing.first(), other) {
        return Err(NodeError(format!(
            "the nodes contradict each other: block {anchor} is {hash} at {} and {other} at {}; no payment \
             counts until they agree; remove the one that is wrong",
            one.host, two.host
        )));
    }
    Ok(agreeing.into_iter().map(|(seen, _)| seen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::Web;
    use till_domain::chain::ChainId;

    const HASH: BlockHash = BlockHash::from_bytes([0; 32]);

    /// The candidate of nodes with these heads, and how many back it.
    fn chosen(heads: &[u64]) -> Option<(u64, usize)> {
        let web = Web::trusting([]);
        let endpoints: Vec<Endpoint> = heads
            .iter()
            .map(|number| Endpoint::new(&format!("http://n{number}.example"), ChainId(1), web.clone()))
            .collect();
        let header = |number| Header { number, hash: HASH, parent: HASH, timestamp: 0 };
        let seen =
            endpoints.iter().zip(heads).map(|(endpoint, number)| (endpoint, header(*number))).collect();
        candidate(seen).ok().map(|(candidate, backing)| (candidate, backing.len()))
    }

    #[test]
    fn a_node_that_stands_still_is_left_out_if_another_does_not() {
        let left = |times: &[u64]| {
            let web = Web::trusting([]);
            let endpoints: Vec<Endpoint> =
                times.iter().map(|_| Endpoint::new("http://n.example", ChainId(1), web.clone())).collect();
            let header = |timestamp| Header { number: 1, hash: HASH, parent: HASH, timestamp };
            let seen =
                endpoints.iter().zip(times).map(|(endpoint, time)| (endpoint, header(*time))).collect();
            awake(seen, 10_000).into_iter().map(|(_, head)| head.timestamp).collect::<Vec<_>>()
        };
        assert_eq!(left(&[9_990, 9_000]), [9_990]);
        assert_eq!(left(&[9_990, 9_690]), [9_990, 9_690], "a little behind");
        assert_eq!(left(&[9_000, 1]), [9_000, 1], "nobody is near our clock");
        assert_eq!(
            left(&[90_000, 9_990, 9_980]),
            [90_000, 9_990, 9_980],
            "a lie about the time leaves nobody out"
        );
    }

    #[test]
    fn a_head_needs_two_who_have_reached_it() {
        assert_eq!(chosen(&[100]), Some((100, 1)), "one alone is believed");
        assert_eq!(chosen(&[100, 100]), Some((100, 2)));
        assert_eq!(chosen(&[103, 100]), Some((100, 2)));
        assert_eq!(chosen(&[100, 103, 101]), Some((101, 3)));
        assert_eq!(chosen(&[100, 150]), Some((100, 2)));
        assert_eq!(chosen(&[100, 151]), None, "nobody knows which of two is wrong");
        assert_eq!(chosen(&[9_000, 100, 101]), Some((100, 2)), "alone ahead is left out");
        assert_eq!(chosen(&[3, 100, 101]), Some((100, 3)), "standing still stops nobody");
        assert_eq!(chosen(&[9_000, 100, 3]), None);
    }
}
