//! Vendors and their settings, and the check that the master key is the right one.

use crate::fixture::{Backend, Kind, entry, on_both_engines, url, vendor_id};
use till_domain::{
    callback::EventFamilies,
    environment::EnvironmentName,
    fiscal::{FiscalPolicy, FiscalSettings, PaymentMode, Subject, TaxSystem, Vat},
    method::Method,
    time::TimeZone,
    vendor::{Settings, SettingsChange, Vendor},
};
use till_store::{Accounts, NewCredential, NewVendor, VendorSummary};

/// A credential pair with this client id.
pub fn pair(environment: EnvironmentName, number: u32, client_id: &str) -> NewCredential {
    let mut secret_check = [0; 32];
    secret_check[..client_id.len()].copy_from_slice(client_id.as_bytes());
    NewCredential {
        environment,
        number,
        client_id: client_id.to_owned(),
        secret_check,
        secret_sealed: [b"sealed \0\xff ", client_id.as_bytes()].concat(),
    }
}

/// The vendor with this number and a credential pair of each environment: `live_1_1` and `sandbox_1_1`.
pub fn new_vendor(number: u64) -> NewVendor {
    let first = |e: EnvironmentName| pair(e, 1, &format!("{e}_{number}_1"));
    NewVendor {
        id: vendor_id(number),
        name: format!("Vendor {number} 🧾"),
        sandbox: number % 2 == 1,
        contact_email: None,
        credentials: EnvironmentName::ALL.map(first).into(),
    }
}

pub async fn add_vendor(accounts: &Accounts, number: u64) {
    accounts.add_vendor(new_vendor(number), &[entry()]).await.expect("added");
}

async fn vendor(accounts: &Accounts, number: u64) -> Option<Vendor> {
    accounts.vendor(vendor_id(number)).await.expect("a read")
}

async fn a_vendor_reads_back_as_it_was_added(kind: Kind) {
    let backend = Backend::new(kind).await;
    for number in [1, 2] {
        add_vendor(&backend.stores.accounts, number).await;
    }
    let backend = backend.reopen().await;
    for number in [1, 2] {
        let added = new_vendor(number);
        let found = vendor(&backend.stores.accounts, number).await.expect("a vendor");
        assert_eq!((found.id, &found.name), (added.id, &added.name));
        assert_eq!((found.sandbox, found.disabled), (added.sandbox, false));
        assert_eq!(found.settings, Settings::default());
        assert_eq!(found.credentials.len(), 2);
    }
    assert!(vendor(&backend.stores.accounts, 3).await.is_none());
}

async fn a_vendor_is_added_with_all_its_pairs_or_not_at_all(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let mut second = new_vendor(2);
    second.credentials[1].client_id = "live_1_1".to_owned();
    accounts.add_vendor(second, &[entry()]).await.expect_err("a client id of another vendor");
    assert!(vendor(accounts, 2).await.is_none());
    assert!(accounts.vendor_of_client("live_2_1").await.expect("a read").is_none());

    let again = NewVendor { credentials: vec![pair(EnvironmentName::Live, 9, "live_x")], ..new_vendor(1) };
    accounts.add_vendor(again, &[entry()]).await.expect_err("an id that exists");
    assert_eq!(vendor(accounts, 1).await.expect("a vendor").credentials.len(), 2);
    let owner = accounts.vendor_of_client("live_1_1").await.expect("a read").map(|vendor| vendor.id);
    assert_eq!(owner, Some(vendor_id(1)));
}

async fn vendors_are_listed_in_the_order_in_which_they_were_made(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    assert_eq!(accounts.list_vendors().await.expect("a read"), []);
    for number in [2, 10, 1, 300] {
        add_vendor(accounts, number).await;
    }
    assert!(accounts.set_disabled(vendor_id(10), true, &entry()).await.expect("a write"));
    let line = |number, disabled| {
        let NewVendor { id, name, sandbox, .. } = new_vendor(number);
        VendorSummary { id, name, sandbox, disabled }
    };
    let expected = [line(1, false), line(2, false), line(10, true), line(300, false)];
    assert_eq!(accounts.list_vendors().await.expect("a read"), expected);
}

async fn a_switch_changes_its_vendor_only(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    for on in [false, true, true] {
        assert!(accounts.set_sandbox(vendor_id(1), on, &entry()).await.expect("a write"));
        assert!(accounts.set_disabled(vendor_id(1), !on, &entry()).await.expect("a write"));
        let switched = vendor(accounts, 1).await.expect("a vendor");
        assert_eq!((switched.sandbox, switched.disabled), (on, !on));
        let other = vendor(accounts, 2).await.expect("a vendor");
        assert_eq!((other.sandbox, other.disabled), (false, false));
    }
}

async fn settings_are_replaced_as_a_whole(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    let full = Settings {
        callback_url: Some(url("https://shop.example/cb?x=1")),
        return_url: Some(url("https://Пример.рф/спасибо")),
        contact_email: Some("ops@shop.example".to_owned()),
        methods: Some(vec![Method::Crypto, Method::Card]),
        display_name: Some("Halden & Sønn 🧾".to_owned()),
        time_zone: TimeZone::parse("Asia/Yekaterinburg"),
        language: Some("ru".to_owned()),
        receipt_copy: true,
        events: EventFamilies { payment: false, ..EventFamilies::default() },
        fiscal: FiscalSettings {
            policy: FiscalPolicy::Required,
            tax_system: Some(TaxSystem::UsnIncomeOutcome),
            vat: Some(Vat::TwentyTwoOf122),
            subject: Some(Subject::Service),
            mode: Some(PaymentMode::FullPrepayment),
            max_items: 80,
        },
    };
    let table = [
        full.clone(),
        Settings { callback_url: None, ..full.clone() },
        Settings { return_url: None, ..full.clone() },
        Settings { contact_email: None, ..full.clone() },
        Settings { methods: None, ..full.clone() },
        Settings { methods: Some(Vec::new()), ..full.clone() },
        Settings { display_name: None, ..full.clone() },
        Settings { time_zone: None, ..full.clone() },
        Settings { language: None, ..full.clone() },
        Settings { receipt_copy: false, ..full.clone() },
        Settings { events: EventFamilies::default(), ..full.clone() },
        Settings { events: EventFamilies::parse("").expect("none"), ..full.clone() },
        Settings { fiscal: FiscalSettings { vat: None, ..full.fiscal }, ..full.clone() },
        Settings { fiscal: FiscalSettings::default(), ..full.clone() },
        Settings { methods: Some(Method::ALL.to_vec()), ..full },
        Settings::default(),
    ];
    for settings in table {
        let change = SettingsChange {
            callback_url: Some(settings.callback_url.clone()),
            return_url: Some(settings.return_url.clone()),
            contact_email: Some(settings.contact_email.clone()),
            methods: Some(settings.methods.clone()),
            display_name: Some(settings.display_name.clone()),
            time_zone: Some(settings.time_zone.clone()),
            language: Some(settings.language.clone()),
            receipt_copy: Some(settings.receipt_copy),
            events: Some(settings.events),
            fiscal: Some(settings.fiscal),
        };
        assert!(accounts.set_settings(vendor_id(1), &change, &entry()).await.expect("a write"));
        assert_eq!(vendor(accounts, 1).await.expect("a vendor").settings, settings);
        assert_eq!(vendor(accounts, 2).await.expect("a vendor").settings, Settings::default());
    }
}

async fn changes_of_different_settings_at_once_both_hold(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let callback_url = Some(Some(url("https://shop.example/cb")));
    let contact_email = Some(Some("ops@shop.example".to_owned()));
    let one = SettingsChange { callback_url, ..SettingsChange::default() };
    let other = SettingsChange { contact_email, ..SettingsChange::default() };
    let (line, other_line) = (entry(), entry());
    let (first, second) = tokio::join!(
        accounts.set_settings(vendor_id(1), &one, &line),
        accounts.set_settings(vendor_id(1), &other, &other_line)
    );
    assert!(first.expect("a write") && second.expect("a write"));
    let settings = vendor(accounts, 1).await.expect("a vendor").settings;
    assert!(settings.callback_url.is_some() && settings.contact_email.is_some(), "{settings:?}");
}

async fn a_vendor_that_does_not_exist_cannot_be_changed(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let unknown = vendor_id(2);
    assert!(!accounts.set_sandbox(unknown, true, &entry()).await.expect("an answer"));
    assert!(!accounts.set_disabled(unknown, true, &entry()).await.expect("an answer"));
    assert!(!accounts.set_settings(unknown, &SettingsChange::default(), &entry()).await.expect("an answer"));
    let rotated =
        accounts.rotate(unknown, pair(EnvironmentName::Live, 2, "live_2_2"), accounts.now(), &entry()).await;
    assert!(!rotated.expect("an answer"));
    assert_eq!(accounts.list_vendors().await.expect("a read").len(), 1);
}

async fn the_first_key_check_is_kept(kind: Kind) {
    let backend = Backend::new(kind).await;
    let check = async |accounts: &Accounts, sealed: &[u8]| accounts.key_check(sealed).await.expect("a check");
    assert_eq!(check(&backend.stores.accounts, b"first \0\xff").await, b"first \0\xff");
    assert_eq!(check(&backend.stores.accounts, b"second").await, b"first \0\xff");
    let backend = backend.reopen().await;
    assert_eq!(check(&backend.stores.accounts, b"third").await, b"first \0\xff");
}

async fn the_operators_commands_and_the_service_see_each_others_changes(kind: Kind) {
    let backend = Backend::new(kind).await;
    let service = &backend.stores.accounts;
    let command = backend.again().await.accounts;
    add_vendor(&command, 1).await;
    assert!(!vendor(service, 1).await.expect("a vendor").disabled);
    assert!(command.set_disabled(vendor_id(1), true, &entry()).await.expect("a write"));
    assert!(vendor(service, 1).await.expect("a vendor").disabled);
    service.note_first_use(vendor_id(1), EnvironmentName::Live, 1).await.expect("a write");
    let seen = vendor(&command, 1).await.expect("a vendor");
    assert!(seen.credentials.iter().any(|c| c.first_used_at == Some(service.now())));
}

on_both_engines!(
    a_vendor_reads_back_as_it_was_added,
    a_vendor_is_added_with_all_its_pairs_or_not_at_all,
    vendors_are_listed_in_the_order_in_which_they_were_made,
    a_switch_changes_its_vendor_only,
    settings_are_replaced_as_a_whole,
    changes_of_different_settings_at_once_both_hold,
    a_vendor_that_does_not_exist_cannot_be_changed,
    the_first_key_check_is_kept,
    the_operators_commands_and_the_service_see_each_others_changes,
);
