-- The work on what needs a person: until when a bank has to be answered, whose it is, and what people wrote about it.

ALTER TABLE actions ADD COLUMN due_at INTEGER CHECK (due_at IS NULL OR subject IS NOT NULL);
ALTER TABLE actions ADD COLUMN assignee TEXT CHECK (assignee IS NULL OR length(assignee) BETWEEN 1 AND 254);

-- The note and the date of an open dispute follow what the provider says of it. What was decided stays as it was then.
DROP TRIGGER actions_finding;
CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
WHEN OLD.subject IS NOT NEW.subject OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.currency IS NOT NEW.currency
    OR (OLD.note IS NOT NEW.note AND OLD.kind <> 'disputed')
    OR (OLD.due_at IS NOT NEW.due_at AND OLD.kind <> 'disputed')
BEGIN
    SELECT RAISE(ABORT, 'what was found cannot be changed');
END;

-- A page of a list is a range of one of these, which have the ids in order.
CREATE INDEX actions_due ON actions (due_at, id) WHERE resolution IS NULL AND due_at IS NOT NULL;
CREATE INDEX actions_vendor ON actions (vendor_id, id);
CREATE INDEX actions_kind ON actions (kind, id);
CREATE INDEX actions_vendor_kind ON actions (vendor_id, kind, id);
CREATE INDEX actions_assignee ON actions (assignee, id) WHERE assignee IS NOT NULL;
CREATE INDEX actions_unassigned ON actions (id) WHERE assignee IS NULL;
-- The figures of how long a decision took.
CREATE INDEX actions_resolved ON actions (resolved_at, resolved_by, created_at) WHERE resolved_at IS NOT NULL;

CREATE TABLE action_notes (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    action_id BLOB NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    author TEXT NOT NULL CHECK (length(author) BETWEEN 1 AND 255),
    body TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 1000)
) STRICT, WITHOUT ROWID;

CREATE INDEX action_notes_action ON action_notes (action_id, id);

-- A note on a decided action, or the same note again, is not an error: the commit that adds it finds that nothing was added.
CREATE TRIGGER action_notes_open BEFORE INSERT ON action_notes
WHEN EXISTS (SELECT 1 FROM action_notes WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM actions WHERE id = NEW.action_id AND resolution IS NOT NULL)
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER action_notes_unchanged BEFORE UPDATE ON action_notes
BEGIN
    SELECT RAISE(ABORT, 'notes on actions are never changed');
END;

-- A note is deleted only together with its action.
CREATE TRIGGER action_notes_kept BEFORE DELETE ON action_notes
WHEN EXISTS (SELECT 1 FROM actions WHERE id = OLD.action_id)
BEGIN
    SELECT RAISE(ABORT, 'notes on actions are never deleted');
END;
