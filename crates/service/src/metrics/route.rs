//! The route of a request, as a label.

use axum::extract::{MatchedPath, Request};
use prometheus_client::encoding::{EncodeLabelValue, LabelValueEncoder};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// The route that a request matched. A clone shares its text with the router.
#[derive(Debug, Clone)]
pub(super) struct Route(Option<MatchedPath>);

impl Route {
    pub(super) fn of(request: &Request) -> Self {
        Self(request.extensions().get::<MatchedPath>().cloned())
    }

    pub(super) fn as_str(&self) -> &str {
        // Unknown paths must not create labels of their own.
        self.0.as_ref().map_or("other", MatchedPath::as_str)
    }
}

impl PartialEq for Route {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Route {}

impl Hash for Route {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl EncodeLabelValue for Route {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        self.as_str().encode(encoder)
    }
}
