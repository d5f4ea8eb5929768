//! Creating a session from a request: the validation of every field, and the resulting session.

use super::{Customer, Item, Methods, RequestedMethods, Session, State};
use crate::{
    catalog::{Category, Product},
    change::Change,
    fiscal::{self, FiscalKind, FiscalReceipt, Offer, registration},
    id::SessionId,
    metadata::Metadata,
    method::{Clocks, Lifetimes, Method},
    money::{Currency, Price},
    rejection::{FieldProblem, Problems, Rejection},
    request::{CreateRequest, FieldValue},
    rules::{MethodRule, Offering, Rules},
    text,
    time::Timestamp,
    vendor::Vendor,
    weburl::WebUrl,
};
use std::time::Duration;

/// The least `expires_in`, in seconds, unless every lifetime is shorter.
const MIN_EXPIRES_IN: u32 = 60;

/// The rows of the catalog that a request names.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The product with the request's `product_id`.
    pub product: Option<Product>,
    /// The category with the request's `category_id`.
    pub category: Option<Category>,
}

/// Everything that a creation depends on besides the request.
#[derive(Debug, Clone, Copy)]
pub struct Creation<'a> {
    pub rules: &'a Rules,
    pub vendor: &'a Vendor,
    pub catalog: &'a Catalog,
    pub now: Timestamp,
    /// The new session's id.
    pub id: SessionId,
    /// The id of the request, which is stored with the session.
    pub request_id: &'a str,
}

/// Creates the session that a request asks for, with the changes that store it; the error lists every wrong
/// field.
pub fn create(request: &CreateRequest, creation: &Creation<'_>) -> Result<(Session, Vec<Change>), Rejection> {
    let mut problems = Problems::default();
    let rules = creation.rules;
    let item = read_item(request, creation, &mut problems);
    let order_id = problems.take("order_id", request.order_id.required_text()).and_then(|text| {
        let order_id = text::reference(text);
        problems.take("order_id", order_id)
    });
    let callback_url = read_url(&mut problems, "callback_url", &request.callback_url, |u| {
        WebUrl::parse_callback(u, rules.private_callbacks)
    });
    let return_url = read_url(&mut problems, "return_url", &request.return_url, WebUrl::parse);
    let metadata = problems.take("metadata", read_metadata(&request.metadata));
    let customer = read_customer(request, &mut problems);
    let open_for = problems.take("expires_in", read_expires_in(&request.expires_in, &rules.lifetimes));
    let requested = read_requested_methods(request, rules, &mut problems);
    let currency = item.as_ref().map(|item| item.price.currency());
    let offered = find_methods(&requested, currency, creation, &mut problems)?;
    let offer = offer(request, item.as_ref());
    let fiscal =
        fiscal::at_creation(&request.receipt, &offer, &creation.vendor.settings.fiscal, &mut problems);
    problems.finish()?;
    let (Some(item), Some(order_id), Some((offered, chosen))) = (item, order_id, offered) else {
        unreachable!("a missing part was noted as a problem");
    };
    let closes_at = open_for.flatten().map(|open_for| creation.now.plus(open_for));
    let mut clocks = Clocks::default();
    clocks.start(chosen, creation.now, &rules.lifetimes, closes_at);
    let receipt = fiscal.map(|(mut content, is_made)| {
        let owner = (creation.id, creation.vendor.id);
        if content.buyer.email.is_none() {
            // To a longer one, no receipt can be sent: the page asks for another.
            content.buyer.email = customer.email.clone().filter(|email| fiscal::fits_receipt(email));
        }
        let (id, total) = (creation.id.into(), item.price.money());
        let receipt = FiscalReceipt::new(id, FiscalKind::Payment, owner, content, total, creation.now);
        FiscalReceipt { is_made, ..receipt }
    });
    let session = Session {
        id: creation.id,
        vendor: creation.vendor.id,
        order_id,
        item,
        state: State::Pending,
        request_id: creation.request_id.to_owned(),
        created_at: creation.now,
        updated_at: creation.now,
        callback_url,
        return_url,
        metadata: metadata.unwrap_or_default(),
        customer,
        closes_at,
        methods: Methods { offered, chosen, clocks, requested },
        plan: None,
        held_until: None,
        fiscal: receipt.as_ref().map(FiscalReceipt::summary),
    };
    let stored = Change::InsertSession(Box::new(session.clone()));
    let changes = [stored].into_iter().chain(receipt.map(registration::inserted)).collect();
    Ok((session, changes))
}

fn read_url<P: Into<FieldProblem>>(
    problems: &mut Problems,
    field: &'static str,
    value: &FieldValue,
    parse: impl FnOnce(&str) -> Result<WebUrl, P>,
) -> Option<WebUrl> {
    let text = problems.take(field, value.text()).flatten()?;
    problems.take(field, parse(text))
}

fn read_metadata(value: &FieldValue) -> Result<Metadata, FieldProblem> {
    Ok(Metadata::parse(value.members()?)?)
}

fn read_customer(request: &CreateRequest, problems: &mut Problems) -> Customer {
    let email = problems.take("customer_email", request.customer_email.text()).flatten();
    let email = email.and_then(|email| problems.take("customer_email", text::email(email)));
    let locale = problems.take("locale", request.locale.text()).flatten();
    let locale = locale.and_then(|tag| {
        problems.take("locale", text::language_tag(tag).ok_or(FieldProblem::NotALocale)).map(str::to_owned)
    });
    Customer { email, locale }
}

/// How long the session may be paid at most. The bounds are the operator's lifetimes, whichever methods are offered, so
/// that a body for live is accepted in the sandbox.
fn read_expires_in(value: &FieldValue, lifetimes: &Lifetimes) -> Result<Option<Duration>, FieldProblem> {
    let most = u32::try_from(lifetimes.longest().as_secs()).unwrap_or(u32::MAX);
    let seconds = value.whole(most.min(MIN_EXPIRES_IN)..=most, "a whole number of seconds")?;
    Ok(seconds.map(|seconds| Duration::from_secs(seconds.into())))
}

/// The item that is paid for: described by the request, or copied from the catalog.
fn read_item(request: &CreateRequest, creation: &Creation<'_>, problems: &mut Problems) -> Option<Item> {
    if !creation.rules.catalog {
        for (field, value) in [("product_id", &request.product_id), ("category_id", &request.category_id)] {
            if value.is_present() {
                problems.add(field, FieldProblem::NotAllowedInSandbox);
            }
        }
        // A body written for live, with nothing but a product_id, has one problem and not four.
        let only_product = request.product_id.is_present() && !request.describes_item();
        return if only_product { None } else { read_described_item(request, problems) };
    }
    let item = if request.product_id.is_present() {
        read_product(request, creation.catalog, problems)
    } else {
        read_described_item(request, problems)
    };
    tag_category(item, request, creation.catalog, problems)
}

fn read_described_item(request: &CreateRequest, problems: &mut Problems) -> Option<Item> {
    let name = problems.take("product_name", request.product_name.required_text()).and_then(|text| {
        let name = text::name(text);
        problems.take("product_name", name)
    });
    let digits = problems
        .take("price", request.price.digits().and_then(|digits| digits.ok_or(FieldProblem::Required)));
    let currency = problems.take("currency", request.currency.required_text()).and_then(|code| {
        let currency = Currency::parse(code).ok_or(FieldProblem::UnknownCurrency);
        problems.take("currency", currency)
    });
    let price = match (digits, currency) {
        (Some(digits), Some(currency)) => problems.take("price", Price::new(digits, currency)),
        _ => None,
    };
    Some(Item { name: name?, price: price?, product: None, category: None })
}

/// What is sold, for the checks that do not need all of it. What cannot be read was noted as a problem.
fn offer<'a>(request: &CreateRequest, item: Option<&'a Item>) -> Offer<'a> {
    let is_described = !request.product_id.is_present();
    let code = request.currency.required_text().ok().filter(|_| is_described);
    let stated = code.and_then(Currency::parse);
    let digits = request.price.digits().ok().flatten();
    let price = || Price::new(digits?, stated?).ok();
    let (price, currency) = match item {
        Some(item) => (Some(item.price.money()), Some(item.price.currency())),
        None => (price().map(|price| price.money()), stated),
    };
    Offer { item, currency, price, is_described }
}

fn read_product(request: &CreateRequest, catalog: &Catalog, problems: &mut Problems) -> Option<Item> {
    problems.take("product_id", request.product_id.text())?;
    if request.describes_item() {
        problems.add("product_id", FieldProblem::ConflictingItem);
        return None;
    }
    let product = catalog.product.as_ref().filter(|p| !p.archived).ok_or(FieldProblem::UnknownProduct);
    let product = problems.take("product_id", product)?;
    Some(Item {
        name: product.name.clone(),
        price: product.price.clone(),
        product: Some(product.id.clone()),
        category: product.category.clone(),
    })
}

/// Checks the request's category: it must exist, and be the product's if a product was named.
fn tag_category(
    item: Option<Item>,
    request: &CreateRequest,
    catalog: &Catalog,
    problems: &mut Problems,
) -> Option<Item> {
    if problems.take("category_id", request.category_id.text()).flatten().is_none() {
        return item;
    }
    let category = catalog.category.as_ref().filter(|c| !c.archived).ok_or(FieldProblem::UnknownCategory);
    let category = problems.take("category_id", category)?;
    let item = item?;
    if item.product.is_some() && item.category.as_ref() != Some(&category.id) {
        problems.add("category_id", FieldProblem::CategoryMismatch);
        return None;
    }
    Some(Item { category: Some(category.id.clone()), ..item })
}

/// The two method fields as they were sent. A field with a wrong value is reported and left out.
fn read_requested_methods(
    request: &CreateRequest,
    rules: &Rules,
    problems: &mut Problems,
) -> RequestedMethods {
    let default = problems.take("defaultPaymentMethod", request.default_method.text()).flatten();
    let available = problems.take("availablePaymentMethods", request.available_methods.texts()).flatten();
    let mut requested = RequestedMethods {
        default: default.map(str::to_owned),
        available: available.as_ref().map(|words| words.iter().map(|&word| word.to_owned()).collect()),
    };
    if matches!(rules.methods, MethodRule::Always(_)) {
        return requested;
    }
    if default.is_some_and(|word| Method::parse(word).is_none()) {
        problems.add("defaultPaymentMethod", FieldProblem::NotOneOf("card, crypto, sbp"));
        requested.default = None;
    }
    if let Some(problem) = available.as_ref().and_then(|words| wrong_list(words)) {
        problems.add("availablePaymentMethods", problem);
        requested.available = None;
    }
    requested
}

fn wrong_list(words: &[&str]) -> Option<FieldProblem> {
    if words.is_empty() {
        return Some(FieldProblem::EmptyList);
    }
    if words.iter().any(|word| Method::parse(word).is_none()) {
        return Some(FieldProblem::NotOneOf("card, crypto, sbp"));
    }
    let repeated = words.iter().enumerate().any(|(i, word)| words[..i].contains(word));
    repeated.then_some(FieldProblem::Repeated)
}

/// The methods to offer, and the one that is chosen first. Without a currency, because that field is wrong,
/// only problems that do not depend on it are reported.
fn find_methods(
    requested: &RequestedMethods,
    currency: Option<Currency>,
    creation: &Creation<'_>,
    problems: &mut Problems,
) -> Result<Option<(Vec<Method>, Method)>, Rejection> {
    let offerings = match &creation.rules.methods {
        MethodRule::Always(method) => return Ok(Some((vec![*method], *method))),
        MethodRule::Offered(offerings) => offerings,
    };
    let all = configured(creation.vendor, offerings, None);
    if all.is_empty() {
        return if problems.is_empty() { Err(Rejection::NoPaymentMethod) } else { Ok(None) };
    }
    let usable = configured(creation.vendor, offerings, currency);
    let taken = currency.map_or_else(|| "payments".to_owned(), |currency| currency.to_string());
    if usable.is_empty() {
        let why = format!("none of {} takes {taken}", Method::join(&all));
        problems.add("currency", FieldProblem::NoPaymentMethod(why));
        return Ok(None);
    }
    let offered: Vec<Method> = match &requested.available {
        None => usable.clone(),
        Some(words) => words.iter().filter_map(|w| Method::parse(w)).filter(|m| usable.contains(m)).collect(),
    };
    if offered.is_empty() {
        let why = format!("this vendor can take {taken} by {}", Method::join(&usable));
        problems.add("availablePaymentMethods", FieldProblem::NoPaymentMethod(why));
        return Ok(None);
    }
    let chosen = match requested.default.as_deref().and_then(Method::parse) {
        Some(wanted) if offered.contains(&wanted) => wanted,
        Some(_) => {
            problems.add("defaultPaymentMethod", FieldProblem::MethodNotOffered(Method::join(&offered)));
            return Ok(None);
        }
        None if offered.contains(&Method::Card) => Method::Card,
        None => offered[0],
    };
    Ok(Some((offered, chosen)))
}

/// The methods that the vendor has, in the order of [`Method::ALL`]; only those for `currency` if one is
/// given.
fn configured(vendor: &Vendor, offerings: &[Offering], currency: Option<Currency>) -> Vec<Method> {
    let allowed = |method: &Method| vendor.settings.methods.as_ref().is_none_or(|list| list.contains(method));
    let served = |method: &Method| {
        offerings.iter().any(|o| o.method == *method && currency.is_none_or(|c| o.currencies.take(c)))
    };
    Method::ALL.into_iter().filter(|m| allowed(m) && served(m)).collect()
}
