//! A vendor's users, for its admins: the list, invitations, roles, removal.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        user_line,
        users::view::{InvitationPage, UserLine},
    },
    does, drafts,
    one_time_links::SentLink,
    pages::{FlashMessage, NavItem, Question},
    shows,
    team::view::{MemberPage, NewMember, NewMemberProblem, Team},
    visit::{Answer, Refused, Visit, done},
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use std::{net::Ipv4Addr, sync::Arc};
use till_domain::{
    id::UserId,
    user::{self, LinkPurpose, Right, Role, User},
};
use till_service::{access::throttle::Wait, admin::UserDraft};
use till_store::{Member, StoreError, UserFilter};

const PLACE: Option<NavItem> = Some(NavItem::Team);
const PATH: &str = "/panel/team";

/// The most users of a vendor that are shown.
const MOST: u32 = 1000;

pub(super) fn routes() -> Vec<Route> {
    let run = Access::May(Right::RunVendor);
    vec![
        shows(PATH, run, list),
        does(PATH, run, invite).after_password(),
        shows("/panel/team/new", run, show_new),
        shows("/panel/team/{id}", run, show),
        does("/panel/team/{id}/role", run, set_role).after_password(),
        does("/panel/team/{id}/invite", run, invite_again),
        shows("/panel/team/{id}/remove", run, ask),
        does("/panel/team/{id}/remove", run, remove),
        does("/panel/team/{id}/restore", run, restore),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (removed, mut here): (Vec<User>, Vec<User>) =
        people(&panel, &visit).await?.into_iter().partition(|user| user.disabled);
    here.sort_by_key(|user| (user.role != Role::VendorAdmin, user.email.clone()));
    let lines =
        |users: Vec<User>| users.into_iter().map(|user| user_line(user, None)).collect::<Vec<UserLine>>();
    let own = visit.user().id.to_string();
    let body = Team { rows: lines(here), removed: lines(removed), own };
    Ok(visit.page(&panel, PLACE, body))
}

async fn people(panel: &Panel, visit: &Visit) -> Result<Vec<User>, StoreError> {
    let filter = UserFilter { vendor: Some(visit.vendor_id()), limit: MOST, ..UserFilter::default() };
    panel.admin.accounts.users(&filter).await
}

async fn show_new(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    let kept = drafts::typed(&panel, &visit).unwrap_or_default();
    let role = Role::parse(kept.get("role")).filter(|role| role.has_vendor());
    new_page(&panel, &visit, kept.get("email").to_owned(), role.unwrap_or(Role::VendorViewer), None)
}

fn new_page(
    panel: &Panel,
    visit: &Visit,
    email: String,
    role: Role,
    problem: Option<NewMemberProblem>,
) -> Response {
    let body = NewMember { email, role, mail: panel.mail, problem };
    if problem.is_some() { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) }
}

/// The role in the form, if vendors have it.
fn chosen(visit: &Visit) -> Result<Role, Refused> {
    Role::parse(visit.form.get("role")).filter(|role| role.has_vendor()).ok_or(Refused::NotFound)
}

async fn invite(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (typed, role) = (visit.form.get("email").to_owned(), chosen(&visit)?);
    let Ok(email) = user::email(&typed) else {
        return Ok(new_page(&panel, &visit, typed, role, Some(NewMemberProblem::Email)));
    };
    // The e-mail address of a user at another vendor is refused, which reveals that it is a user; so refused
    // invitations are rate limited per vendor.
    let account = format!("invite {}", visit.vendor_id());
    let attempt = panel.throttle.check(panel.uptime(), &account, Ipv4Addr::UNSPECIFIED.into(), true);
    let attempt = match attempt {
        Ok(attempt) => attempt,
        Err(Wait { seconds }) => {
            return Ok(new_page(&panel, &visit, typed, role, Some(NewMemberProblem::Throttled { seconds })));
        }
    };
    let who = UserDraft { email: &email, role, vendor: Some(visit.vendor_id()) };
    match panel.invite(&visit.actor(), who, visit.language).await? {
        Some((id, link)) => Ok(invited(&panel, &visit, (id, email), link)),
        None => {
            attempt.failed(panel.uptime());
            Ok(new_page(&panel, &visit, typed, role, Some(NewMemberProblem::EmailTaken)))
        }
    }
}

/// The page of the link, which was mailed or is shown once.
fn invited(panel: &Panel, visit: &Visit, (id, email): (UserId, String), link: SentLink) -> Response {
    let purpose = LinkPurpose::Invitation;
    let page = InvitationPage {
        id: id.to_string(),
        email,
        purpose,
        link: link.url,
        until: link.until,
        of_team: true,
    };
    visit.page(panel, PLACE, page)
}

/// A user of this vendor; not found for any other user.
async fn find(panel: &Panel, visit: &Visit, id: &str) -> Result<User, Refused> {
    let id = UserId::parse(id).ok_or(Refused::NotFound)?;
    let known = panel.admin.accounts.user(id).await?.ok_or(Refused::NotFound)?.user;
    if known.vendor == Some(visit.vendor_id()) { Ok(known) } else { Err(Refused::NotFound) }
}

fn member(visit: &Visit, user: &User) -> Member {
    Member { vendor: visit.vendor_id(), user: user.id }
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &visit, &id).await?;
    let runs = |user: &User| user.role == Role::VendorAdmin && !user.disabled && user.has_password;
    let others =
        people(&panel, &visit).await?.iter().filter(|other| other.id != user.id && runs(other)).count();
    let can_restore =
        user.disabled && panel.admin.accounts.removed_by_colleague(member(&visit, &user)).await?;
    let body = MemberPage {
        created_at: user.created_at,
        is_self: user.id == visit.user().id,
        is_last: user.role == Role::VendorAdmin && others == 0,
        can_restore,
        line: user_line(user, None),
    };
    Ok(visit.page(&panel, PLACE, body))
}

async fn set_role(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let (user, role) = (find(&panel, &visit, &id).await?, chosen(&visit)?);
    let path = format!("{PATH}/{}", user.id);
    if user.role == role {
        return Ok(done(&path, FlashMessage::Saved));
    }
    let changed = panel.admin.set_role(&visit.actor(), member(&visit, &user), role).await?;
    Ok(match (changed, user.id == visit.user().id) {
        // A user who is no admin any more has no access to the team page.
        (true, true) => done("/panel/settings", FlashMessage::Saved),
        (true, false) => done(&path, FlashMessage::Saved),
        (false, _) => done(&path, refused(&user)),
    })
}

/// The reason why a change of the team was not made.
fn refused(user: &User) -> FlashMessage {
    if user.disabled { FlashMessage::Overtaken } else { FlashMessage::LastAdmin }
}

async fn invite_again(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &visit, &id).await?;
    // A link for a user who has a password would let a colleague take over the account.
    if user.has_password || user.disabled {
        return Ok(done(&format!("{PATH}/{}", user.id), FlashMessage::Overtaken));
    }
    let who = (user.id, user.email.as_str());
    let link = panel.send_link(&visit.actor(), who, LinkPurpose::Invitation, visit.language).await?;
    Ok(invited(&panel, &visit, (user.id, user.email), link))
}

async fn ask(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &visit, &id).await?;
    let question = Question::RemoveMember { id: user.id.to_string(), email: user.email };
    Ok(visit.page(&panel, PLACE, question))
}

async fn remove(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &visit, &id).await?;
    let removed = panel.admin.remove_member(&visit.actor(), member(&visit, &user)).await?;
    Ok(if removed {
        done(PATH, FlashMessage::Removed)
    } else {
        done(&format!("{PATH}/{}", user.id), refused(&user))
    })
}

async fn restore(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &visit, &id).await?;
    let back = panel.admin.restore_member(&visit.actor(), member(&visit, &user)).await?;
    let notice = if back { FlashMessage::LetIn } else { FlashMessage::Failed };
    Ok(done(&format!("{PATH}/{}", user.id), notice))
}
