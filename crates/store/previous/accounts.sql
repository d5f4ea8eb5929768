INSERT INTO vendors (id, name, sandbox, disabled, created_at, contact_email) VALUES ($1, $2, $3, $4, $5, $6)
;
INSERT INTO credentials (vendor_id, environment, number, client_id, secret_check, secret_sealed, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
;
UPDATE credentials SET ends_at = $3
     WHERE vendor_id = $1 AND environment = $2 AND (ends_at IS NULL OR ends_at > $3)
        AND $4 = (SELECT MAX(number) FROM credentials WHERE vendor_id = $1 AND environment = $2)
;
UPDATE credentials SET first_used_at = $4
     WHERE vendor_id = $1 AND environment = $2 AND number = $3 AND first_used_at IS NULL
;
SELECT id, name, sandbox, disabled, created_at, parent_id, callback_url, return_url, contact_email, methods, display_name,
        time_zone, language, receipt_copy, settlement_delay
     FROM vendors WHERE id = $1
;
SELECT v.id, v.name, v.sandbox, v.disabled, v.created_at, v.parent_id, v.callback_url, v.return_url, v.contact_email, v.methods,
        v.display_name, v.time_zone, v.language, v.receipt_copy, v.settlement_delay
     FROM credentials c JOIN vendors v ON v.id = c.vendor_id WHERE c.client_id = $1
;
SELECT number, environment, client_id, secret_check, created_at, ends_at, first_used_at, secret_sealed
     FROM credentials WHERE vendor_id = $1 ORDER BY environment, number
;
SELECT id, name, sandbox, disabled FROM vendors ORDER BY id
;
SELECT v.id, v.name, v.sandbox, v.disabled, v.methods, u.email, v.created_at,
        (SELECT MIN(r.created_at) FROM sandbox_requests r WHERE r.vendor_id = v.id AND r.answer IS NULL), v.contact_email
     FROM vendors v LEFT JOIN users u ON u.id = v.parent_id
     WHERE v.id < $1 AND (CAST($2 AS BYTEA) IS NULL OR v.parent_id = $2)
     ORDER BY v.id DESC LIMIT $3
;
UPDATE vendors SET parent_id = $2
     WHERE id = $1 AND (CAST($2 AS BYTEA) IS NULL OR EXISTS (
        SELECT 1 FROM users WHERE id = $2 AND role = 'super_vendor' AND NOT disabled))
;
UPDATE vendors SET sandbox = $2 WHERE id = $1
;
UPDATE vendors SET disabled = $2 WHERE id = $1
;
UPDATE vendors SET
        callback_url = CASE WHEN $2 THEN $3 ELSE callback_url END,
        return_url = CASE WHEN $4 THEN $5 ELSE return_url END,
        contact_email = CASE WHEN $6 THEN $7 ELSE contact_email END,
        methods = CASE WHEN $8 THEN $9 ELSE methods END,
        display_name = CASE WHEN $10 THEN $11 ELSE display_name END,
        time_zone = CASE WHEN $12 THEN $13 ELSE time_zone END,
        language = CASE WHEN $14 THEN $15 ELSE language END,
        receipt_copy = CASE WHEN $16 THEN $17 ELSE receipt_copy END
     WHERE id = $1
;
SELECT sealed FROM key_check WHERE id = 1
;
INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING
;
INSERT INTO audit (id, at, actor_id, actor, address, deed, vendor_id, user_id, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
;
SELECT id, at, actor_id, actor, address, deed, vendor_id, user_id, detail FROM audit
     WHERE id < $1 AND (CAST($2 AS BYTEA) IS NULL OR vendor_id = $2)
        AND (CAST($3 AS TEXT) IS NULL OR actor = $3) AND (CAST($4 AS TEXT) IS NULL OR deed = $4)
     ORDER BY id DESC LIMIT $5
;
SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 AND id = $2
;
SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 ORDER BY id
;
SELECT id, name, price, currency, category_id, archived FROM products
     WHERE vendor_id = $1 AND id > $2 AND archived = $3
        AND (CAST($4 AS TEXT) = '*' OR COALESCE(category_id, '') = $4)
     ORDER BY id LIMIT $5
;
SELECT COALESCE(category_id, ''), COUNT(*) FROM products WHERE vendor_id = $1 AND archived = $2
     GROUP BY category_id
;
SELECT id, name, archived FROM categories WHERE vendor_id = $1 AND id = $2
;
SELECT id, name, archived FROM categories WHERE vendor_id = $1 ORDER BY id
;
INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (vendor_id, id) DO UPDATE
     SET name = excluded.name, price = excluded.price, currency = excluded.currency,
        category_id = excluded.category_id, archived = excluded.archived
;
INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (vendor_id, id) DO NOTHING
;
INSERT INTO categories (vendor_id, id, name, archived, created_at)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (vendor_id, id) DO NOTHING
;
INSERT INTO categories (vendor_id, id, name, archived, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (vendor_id, id) DO UPDATE SET name = excluded.name, archived = excluded.archived
;
UPDATE products SET name = $3, price = $4, currency = $5, category_id = $6
     WHERE vendor_id = $1 AND id = $2
;
UPDATE categories SET name = $3 WHERE vendor_id = $1 AND id = $2
;
UPDATE products SET archived = $3 WHERE vendor_id = $1 AND id = $2
;
UPDATE categories SET archived = $3 WHERE vendor_id = $1 AND id = $2
;
INSERT INTO used_forms (id, used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING
;
SELECT COUNT(*) FROM used_forms WHERE id = $1
;
INSERT INTO logins (id, cookie_check, user_id, address, agent, created_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)
;
SELECT id, user_id, address, agent, created_at, seen_at FROM logins
     WHERE cookie_check = $1 AND ended_at IS NULL
;
SELECT id, user_id, address, agent, created_at, seen_at FROM logins
     WHERE user_id = $1 AND ended_at IS NULL AND created_at > $2 AND seen_at > $3 ORDER BY seen_at DESC, id LIMIT 100
;
UPDATE logins SET seen_at = $2 WHERE id = $1 AND ended_at IS NULL AND seen_at < $2
;
UPDATE users SET seen_at = $2 WHERE id = $1
;
UPDATE users SET seen_at = $2
     WHERE id = $1 AND NOT disabled AND COALESCE(password, '') = $3 AND (factor_sealed IS NOT NULL) = $4
;
UPDATE logins SET ended_at = $3 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL
;
UPDATE logins SET ended_at = $2
     WHERE user_id = $1 AND ended_at IS NULL AND (CAST($3 AS BYTEA) IS NULL OR id <> $3)
;
INSERT INTO mails (id, recipient, subject, body_sealed, kind, created_at, state, attempts, due_at, fence)
     VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $6, 0)
;
SELECT id, recipient, subject, body_sealed, kind, created_at, attempts, fence
     FROM mails WHERE due_at <= $1 ORDER BY due_at LIMIT $2
;
SELECT due_at FROM mails WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1
;
UPDATE mails SET fence = fence + 1, attempts = attempts + 1, due_at = $3
     WHERE id = $1 AND fence = $2 AND state = 'queued'
;
UPDATE mails SET due_at = $3, last_error = $4 WHERE id = $1 AND fence = $2 AND state = 'queued'
;
UPDATE mails SET state = $3, ended_at = $4, last_error = $5, due_at = NULL, body_sealed = NULL
     WHERE id = $1 AND fence = $2 AND state = 'queued'
;
SELECT id, recipient, kind, state, attempts, due_at, ended_at, last_error FROM mails WHERE id = $1
;
SELECT (SELECT COUNT(*) FROM mails WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM mails WHERE ended_at IS NOT NULL AND state = 'failed')
;
DELETE FROM mails WHERE ended_at < $1
;
INSERT INTO nodes (id, version, listens, started_at, seen_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (id) DO UPDATE SET seen_at = $5
;
UPDATE nodes SET seen_at = $2, stopped_at = $2 WHERE id = $1
;
DELETE FROM nodes WHERE seen_at < $1
;
SELECT id, version, listens, started_at, seen_at, stopped_at FROM nodes ORDER BY started_at DESC, id
;
SELECT name, position, enabled, document_sealed, version, updated_at, updated_by FROM providers
     ORDER BY position, name
;
SELECT name, version FROM providers ORDER BY position, name
;
INSERT INTO providers (name, position, enabled, document_sealed, version, updated_at, updated_by)
     VALUES ($1, (SELECT COALESCE(MAX(position) + 1, 0) FROM providers), $2, $3, 1, $4, $5)
     ON CONFLICT (name) DO NOTHING
;
UPDATE providers SET document_sealed = $3, version = version + 1, updated_at = $4, updated_by = $5
     WHERE name = $1 AND version = $2
;
UPDATE providers SET enabled = $2, version = version + 1, updated_at = $3, updated_by = $4
     WHERE name = $1 AND enabled <> $2
;
UPDATE providers SET position = $3, version = version + 1, updated_at = $4, updated_by = $5
     WHERE name = $1 AND version = $2
;
DELETE FROM logins WHERE id IN (SELECT id FROM logins WHERE created_at < $1 ORDER BY created_at LIMIT 1000)
;
DELETE FROM links
     WHERE link_check IN (SELECT link_check FROM links WHERE expires_at < $1 ORDER BY expires_at LIMIT 1000)
;
DELETE FROM used_forms WHERE id IN (SELECT id FROM used_forms WHERE used_at < $1 ORDER BY used_at LIMIT 1000)
;
SELECT COUNT(*) FROM (
        SELECT 1 AS one FROM (SELECT id FROM logins WHERE created_at < $1 LIMIT 1) AS old_login
        UNION ALL SELECT 1 AS one FROM (SELECT link_check FROM links WHERE expires_at < $1 LIMIT 1) AS old_link
        UNION ALL SELECT 1 AS one FROM (SELECT id FROM used_forms WHERE used_at < $1 LIMIT 1) AS old_form
     ) AS old
;
UPDATE vendors SET name = name WHERE id = $1
;
UPDATE users SET role = $3
     WHERE id = $2 AND vendor_id = $1 AND role <> $3 AND NOT disabled
        AND (role <> 'vendor_admin' OR EXISTS (
            SELECT 1 FROM users AS other
            WHERE other.vendor_id = $1 AND other.id <> $2 AND other.role = 'vendor_admin'
                AND NOT other.disabled AND other.password IS NOT NULL))
;
UPDATE users SET disabled = $3
     WHERE id = $2 AND vendor_id = $1 AND NOT disabled
        AND (role <> 'vendor_admin' OR EXISTS (
            SELECT 1 FROM users AS other
            WHERE other.vendor_id = $1 AND other.id <> $2 AND other.role = 'vendor_admin'
                AND NOT other.disabled AND other.password IS NOT NULL))
;
UPDATE users SET disabled = $3
     WHERE id = $2 AND vendor_id = $1 AND disabled AND EXISTS (
        SELECT 1 FROM users AS colleague WHERE colleague.vendor_id = $1 AND colleague.id = (
            SELECT actor_id FROM audit WHERE user_id = $2 AND deed = 'user_disabled' ORDER BY id DESC LIMIT 1))
;
SELECT COUNT(*) FROM users WHERE vendor_id = $1 AND id = (
        SELECT actor_id FROM audit WHERE user_id = $2 AND deed = 'user_disabled' ORDER BY id DESC LIMIT 1)
;
SELECT audit.id, audit.at, audit.actor_id, audit.actor, audit.address, audit.deed, audit.vendor_id,
        audit.user_id, audit.detail, doer.role, doer.vendor_id, done_to.email
     FROM audit LEFT JOIN users AS doer ON doer.id = audit.actor_id
        LEFT JOIN users AS done_to ON done_to.id = audit.user_id AND done_to.vendor_id = $2
     WHERE audit.id IN (
        SELECT id FROM (
            SELECT id FROM (
                SELECT id FROM audit WHERE vendor_id = $2 AND id < $1 ORDER BY id DESC LIMIT $3) AS about_vendor
            UNION
            SELECT line.id FROM users AS member CROSS JOIN audit AS line
            WHERE member.vendor_id = $2 AND line.user_id = member.id AND line.id < $1) AS found
        ORDER BY id DESC LIMIT $3)
     ORDER BY audit.id DESC
;
SELECT method, currency, millionths, fixed, returned FROM fees WHERE vendor_id = $1 ORDER BY method, currency
;
UPDATE vendors SET disabled = disabled WHERE id = $1
;
INSERT INTO fees (vendor_id, method, currency, millionths, fixed, returned) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (vendor_id, method, currency) DO UPDATE
     SET millionths = excluded.millionths, fixed = excluded.fixed, returned = excluded.returned
;
DELETE FROM fees WHERE vendor_id = $1 AND method = $2 AND currency = $3
;
UPDATE vendors SET settlement_delay = $2 WHERE id = $1
;
INSERT INTO users (id, email, role, vendor_id, password, disabled, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
;
SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
        factor_step, time_zone
     FROM users WHERE id = $1
;
SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
        factor_step, time_zone
     FROM users WHERE email = $1
;
SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
        factor_step, time_zone
     FROM users
     WHERE id < $1 AND (CAST($2 AS BYTEA) IS NULL OR vendor_id = $2)
        AND (CAST($3 AS TEXT) IS NULL OR role = $3) AND email LIKE $4 ESCAPE '\'
     ORDER BY id DESC LIMIT $5
;
UPDATE users SET disabled = disabled WHERE id = $1 OR role = 'operator'
;
UPDATE users SET disabled = $2 WHERE id = $1 AND disabled <> $2
        AND (disabled OR role <> 'operator' OR password IS NULL OR EXISTS (
            SELECT 1 FROM users o
            WHERE o.id <> $1 AND o.role = 'operator' AND NOT o.disabled AND o.password IS NOT NULL))
;
UPDATE users SET password = $3 WHERE id = $1 AND password = $2
;
UPDATE users SET password = $2 WHERE id = $1 AND NOT disabled
;
UPDATE users SET time_zone = $2 WHERE id = $1
;
UPDATE users SET factor_pending = $2 WHERE id = $1
;
UPDATE users SET factor_sealed = factor_pending, factor_pending = NULL, factor_step = $2
     WHERE id = $1 AND factor_pending = $3
;
UPDATE users SET factor_sealed = NULL, factor_pending = NULL, factor_step = NULL
     WHERE id = $1 AND factor_sealed IS NOT NULL
;
UPDATE users SET factor_step = $2
     WHERE id = $1 AND factor_sealed IS NOT NULL AND (factor_step IS NULL OR factor_step < $2)
;
UPDATE users SET factor_step = factor_step WHERE id = $1 AND factor_sealed IS NOT NULL
;
DELETE FROM recovery_codes WHERE user_id = $1
;
INSERT INTO recovery_codes (user_id, code_check) VALUES ($1, $2)
;
DELETE FROM recovery_codes WHERE user_id = $1 AND code_check = $2
;
SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1
;
INSERT INTO links (link_check, user_id, purpose, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
;
SELECT user_id, purpose, expires_at, used_at FROM links WHERE link_check = $1
;
SELECT COUNT(*) FROM links WHERE user_id = $1 AND created_at > $2
;
UPDATE links SET used_at = $2 WHERE link_check = $1 AND used_at IS NULL AND expires_at > $2
;
UPDATE links SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL
;
INSERT INTO sandbox_requests (id, vendor_id, user_id, reason, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING
;
SELECT r.id, r.vendor_id, v.name, r.user_id, u.email, r.reason, r.created_at
     FROM sandbox_requests r JOIN vendors v ON v.id = r.vendor_id JOIN users u ON u.id = r.user_id
     WHERE r.answer IS NULL AND (CAST($1 AS BYTEA) IS NULL OR r.vendor_id = $1) ORDER BY r.id LIMIT 500
;
SELECT COUNT(*) FROM sandbox_requests WHERE answer IS NULL
;
UPDATE sandbox_requests SET answer = $2, note = $3, answered_at = $4 WHERE id = $1 AND answer IS NULL
;
UPDATE sandbox_requests SET answer = 'granted', answered_at = $2 WHERE vendor_id = $1 AND answer IS NULL
