-- The work on what needs a person: until when a bank has to be answered, whose it is, and what people wrote about it.

ALTER TABLE actions ADD COLUMN due_at BIGINT CHECK (due_at IS NULL OR subject IS NOT NULL);
ALTER TABLE actions ADD COLUMN assignee TEXT CHECK (assignee IS NULL OR length(assignee) BETWEEN 1 AND 254);

-- The note and the date of an open dispute follow what the provider says of it. What was decided stays as it was then.
DROP TRIGGER actions_finding ON actions;
CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
FOR EACH ROW WHEN (
    OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.subject IS DISTINCT FROM NEW.subject OR OLD.amount_minor IS DISTINCT FROM NEW.amount_minor
    OR OLD.currency IS DISTINCT FROM NEW.currency
    OR (OLD.note IS DISTINCT FROM NEW.note AND OLD.kind <> 'disputed')
    OR (OLD.due_at IS DISTINCT FROM NEW.due_at AND OLD.kind <> 'disputed')
)
EXECUTE FUNCTION refuse('what was found cannot be changed');

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
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    action_id BYTEA NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    author TEXT NOT NULL CHECK (length(author) BETWEEN 1 AND 255),
    body TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 1000)
);

CREATE INDEX action_notes_action ON action_notes (action_id, id);

-- A note on a decided action is not an error: the commit that adds it finds that nothing was added. The lock makes a
-- decision at the same moment wait, or this note wait for it.
CREATE FUNCTION only_on_open_action() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM 1 FROM actions WHERE id = NEW.action_id AND resolution IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER action_notes_open BEFORE INSERT ON action_notes
FOR EACH ROW EXECUTE FUNCTION only_on_open_action();

CREATE TRIGGER action_notes_unchanged BEFORE UPDATE ON action_notes
FOR EACH ROW EXECUTE FUNCTION refuse('notes on actions are never changed');

-- A note is deleted only together with its action.
CREATE FUNCTION only_with_its_action() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM actions WHERE id = OLD.action_id) THEN
        RAISE EXCEPTION 'notes on actions are never deleted';
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER action_notes_kept BEFORE DELETE ON action_notes
FOR EACH ROW EXECUTE FUNCTION only_with_its_action();

-- TRUNCATE deletes rows without firing the triggers above.
CREATE TRIGGER action_notes_not_emptied BEFORE TRUNCATE ON action_notes
FOR EACH STATEMENT EXECUTE FUNCTION refuse('notes on actions are never deleted');
