//! Closing receipts: made once, found when the answer was lost, and blocked rather than refused where another set-up helps.

use super::*;
use till_domain::{
    fiscal::{
        Buyer, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, ItemQuantity, Measure, PaymentMode,
        Subject, Vat,
        follow::{RegistrationSeen, RegistrationState},
    },
    id::FiscalReceiptId,
};
use till_providers::Receipts as _;

/// The closing receipt of an order of 1490.00 roubles.
fn closing() -> FiscalReceipt {
    let item = FiscalItem {
        name: "Atlas".to_owned(),
        quantity: ItemQuantity::ONE,
        price: 149_000,
        vat: Vat::TwentyTwo,
        subject: Subject::Commodity,
        mode: PaymentMode::FullPayment,
        measure: Measure::Piece,
    };
    let buyer = Buyer { email: Some("ann@mail.example".to_owned()), ..Buyer::default() };
    let content = FiscalContent { buyer, tax_system: None, items: vec![item] };
    let total = Money { minor: 149_000, currency: Currency::parse("RUB").expect("a currency") };
    let owner = (SessionId::from_bytes([1; 16]), VendorId::from_bytes([2; 16]));
    let id = FiscalReceiptId::from_bytes([7; 16]);
    FiscalReceipt::new(id, FiscalKind::Closing, owner, content, total, Timestamp::from_ms(1))
}

fn is_blocked(seen: &Result<RegistrationSeen, ProviderError>) -> bool {
    matches!(seen, Ok(RegistrationSeen { state: RegistrationState::Blocked { .. }, reference: None, .. }))
}

#[tokio::test]
async fn a_closing_receipt_at_the_wrong_shop_or_with_a_wrong_key_waits_for_a_person() {
    let world = World::new();
    world.does("settings", json!({ "fiscalization": true })).await;
    let elsewhere = world.shop.register(&closing(), "23d93cac-000f-5000-8000-126628f15141").await;
    assert!(is_blocked(&elsewhere), "a payment of another shop: {elsewhere:?}");
    let denied = world.stranger().register(&closing(), "23d93cac-000f-5000-8000-126628f15141").await;
    assert!(is_blocked(&denied), "a wrong key: {denied:?}");
    world.fault("receipts", "429_before", 1).await;
    let limited = world.shop.register(&closing(), "23d93cac-000f-5000-8000-126628f15141").await;
    assert!(matches!(limited, Err(ProviderError::RateLimited { .. })), "this ends by itself: {limited:?}");
}
