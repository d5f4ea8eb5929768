//! The demo's vendors, their products and users, created at the first start.

use super::{super::vendor, write_once};
use crate::cli::context::Context;
use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};
use till_domain::{
    audit::{Actor, AuditEvent, SandboxRequest},
    catalog::ProductDraft,
    id::{UserId, VendorId},
    user::Role,
    vendor::SettingsChange,
};
use till_service::{
    access::{password::Passwords, queue::Caller},
    admin::{self, Admin, UserDraft, catalog::CatalogEditor},
};

/// The vendor in sandbox mode.
const SANDBOX_VENDOR: &str = "Demo Books";

/// The vendor whose panel shows live payments, and the name that its customers see.
const LIVE_VENDOR: &str = "Demo Books Live";
const DISPLAY_NAME: &str = "Demo Books";

/// The two vendors behind the shop: a panel shows either the sandbox or live payments, and a demo shows both.
pub(super) struct DemoVendors {
    pub(super) sandbox: vendor::Created,
    pub(super) live: vendor::Created,
    /// True if both were created now.
    pub(super) are_new: bool,
}

/// A user of the demo.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DemoLogin {
    pub(super) role: String,
    pub(super) email: String,
    pub(super) password: String,
}

/// The users: role, address, the vendor that they work for, and what their panel shows.
const USERS: [(Role, &str, Option<&str>, &str); 4] = [
    (Role::Operator, "operator@demo.example", None, "the operator's console"),
    (Role::VendorAdmin, "vendor@demo.example", Some(SANDBOX_VENDOR), "the shop's sandbox payments"),
    (Role::VendorAdmin, "live@demo.example", Some(LIVE_VENDOR), "live payments, wallet, refunds, products"),
    (Role::SuperVendor, "super-vendor@demo.example", None, "both vendors, as their super vendor"),
];

impl DemoLogin {
    /// What the panel shows after this login.
    pub(super) fn shows(&self) -> &'static str {
        USERS.iter().find(|(_, email, ..)| *email == self.email).map_or("", |(.., shows)| shows)
    }
}

/// The demo's vendors and users.
pub(super) async fn people(
    context: &Context,
    folder: &Path,
) -> anyhow::Result<(DemoVendors, Vec<DemoLogin>)> {
    let admin = context.admin().await?;
    let requested =
        SandboxRequest { by: "till demo".to_owned(), why: SandboxRequest::FROM_THE_START.to_owned() };
    let (sandbox, sandbox_is_new) = find_or_make(&admin, SANDBOX_VENDOR, Some(requested)).await?;
    let (live, live_is_new) = find_or_make(&admin, LIVE_VENDOR, None).await?;
    if live_is_new {
        let id = vendor_id(&live)?;
        let change =
            SettingsChange { display_name: Some(Some(DISPLAY_NAME.to_owned())), ..SettingsChange::default() };
        let entry = admin.entry(&Actor::shell(), AuditEvent::SettingsChanged).about(id);
        admin.accounts.set_settings(id, &change, &entry).await?;
        let editor = CatalogEditor { accounts: &admin.accounts, vendor: id, actor: &Actor::shell() };
        for (id, name, price, currency) in till_shop::products() {
            editor.add_product(ProductDraft { id, name, price, currency, category: "" }).await?;
        }
    }
    let vendors = DemoVendors { sandbox, live, are_new: sandbox_is_new && live_is_new };
    let logins = logins(&admin, &vendors, folder).await?;
    Ok((vendors, logins))
}

/// A vendor by its name; true if it was created now.
async fn find_or_make(
    admin: &Admin,
    name: &str,
    sandbox: Option<SandboxRequest>,
) -> anyhow::Result<(vendor::Created, bool)> {
    let known = admin.accounts.list_vendors().await?.into_iter().find(|vendor| vendor.name == name);
    match known {
        Some(known) => Ok((admin.pairs(known.id).await?.into(), false)),
        None => Ok((vendor::make(admin, name, sandbox).await?, true)),
    }
}

/// The id of a vendor.
pub(super) fn vendor_id(vendor: &vendor::Created) -> anyhow::Result<VendorId> {
    VendorId::parse(&vendor.vendor_id).context("a vendor has an id")
}

/// The users of the demo. Their passwords are written to a file beside the data before they are set, to be
/// shown again at the next start. A user who changed the password keeps the new one, unless that file was
/// lost.
async fn logins(admin: &Admin, vendors: &DemoVendors, folder: &Path) -> anyhow::Result<Vec<DemoLogin>> {
    let path = folder.join("logins.json");
    let cannot = || format!("{} cannot be read: remove it", path.display());
    let known: Vec<DemoLogin> = match path.exists() {
        true => serde_json::from_str(&fs::read_to_string(&path)?).with_context(cannot)?,
        false => Vec::new(),
    };
    let known_emails: Vec<String> = known.iter().map(|login| login.email.clone()).collect();
    let mut logins = known;
    for (role, email, ..) in
        USERS.iter().filter(|(_, email, ..)| !known_emails.iter().any(|known| known == email))
    {
        let password = admin::new_password().expose_secret().to_owned();
        logins.push(DemoLogin { role: role.as_str().to_owned(), email: (*email).to_owned(), password });
    }
    if logins.len() > known_emails.len() {
        // Replaces the file of an earlier version, which lacks a user.
        let _ = fs::remove_file(&path);
        write_once(&path, serde_json::to_string(&logins)?.as_bytes())?;
    }
    for login in &logins {
        let Some((role, _, vendor, _)) = USERS.iter().find(|(_, email, ..)| *email == login.email) else {
            continue;
        };
        let vendor = match *vendor {
            Some(SANDBOX_VENDOR) => Some(vendor_id(&vendors.sandbox)?),
            Some(_) => Some(vendor_id(&vendors.live)?),
            None => None,
        };
        let is_new = !known_emails.contains(&login.email);
        let created = let_in(admin, login, *role, vendor, is_new).await?;
        if let (Role::SuperVendor, Some(parent)) = (role, created) {
            for id in [vendor_id(&vendors.sandbox)?, vendor_id(&vendors.live)?] {
                let entry = admin.entry(&Actor::shell(), AuditEvent::ParentChanged).about(id).with(parent);
                admin.accounts.set_parent(id, Some(parent), &entry).await?;
            }
        }
    }
    Ok(logins)
}

/// Creates a user, or sets the password of an existing one if the logins are new. Returns the id of a created
/// user.
async fn let_in(
    admin: &Admin,
    login: &DemoLogin,
    role: Role,
    vendor: Option<VendorId>,
    is_new: bool,
) -> anyhow::Result<Option<UserId>> {
    let known = admin.accounts.user_by_email(&login.email).await?;
    if known.is_some() && !is_new {
        return Ok(None);
    }
    let hash = Passwords::new(1).hash(Caller::Shell, &login.password.clone().into()).await?;
    if let Some(known) = known {
        let entry = admin.entry(&Actor::shell(), AuditEvent::PasswordSet).with(known.user.id);
        admin.accounts.set_password(known.user.id, &hash, None, &entry).await?;
        return Ok(None);
    }
    let who = UserDraft { email: &login.email, role, vendor };
    Ok(admin.create_user(&Actor::shell(), who, hash).await?)
}
