INSERT INTO payment_attempts (id, version, session_id, vendor_id, method, provider, choice, email, language,
        started_at, state, reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded,
        seen, needed, confirming, in_flight_since, updated_at, check_at, checks)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
        $23, $24, $25, $26)
     ON CONFLICT (session_id) WHERE state IN ('intended', 'open', 'in_flight') DO NOTHING
;
UPDATE payment_attempts SET version = $3, state = $4, reason = $5, reference = $6, shown = $7, charge_atoms = $8,
        charge_decimals = $9, charge_unit = $10, received = $11, recorded = $12, seen = $13, needed = $14,
        confirming = $15, in_flight_since = $16, updated_at = $17, check_at = $18, checks = $19
     WHERE id = $1 AND version = $2
;
SELECT id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
                reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
                confirming, in_flight_since, updated_at, check_at, checks
             FROM payment_attempts WHERE id = $1
;
SELECT id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
                reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
                confirming, in_flight_since, updated_at, check_at, checks
             FROM payment_attempts WHERE session_id = $1
     ORDER BY CASE WHEN state IN ('intended', 'open', 'in_flight') THEN 0 ELSE 1 END, id DESC LIMIT 1
;
SELECT id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
                reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
                confirming, in_flight_since, updated_at, check_at, checks
             FROM payment_attempts WHERE session_id = $1 ORDER BY id
;
SELECT id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
                reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
                confirming, in_flight_since, updated_at, check_at, checks
             FROM payment_attempts WHERE provider = $1 AND reference = $2
;
SELECT id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
                reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
                confirming, in_flight_since, updated_at, check_at, checks
             FROM payment_attempts WHERE check_at <= $1 ORDER BY check_at LIMIT $2
;
SELECT MIN(check_at) FROM payment_attempts WHERE check_at IS NOT NULL
;
SELECT COUNT(*) FROM callbacks
     WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method IN ('card', 'sbp', 'crypto') AND id > $2
;
SELECT COUNT(DISTINCT transaction_id) FROM actions WHERE resolution IS NULL AND vendor_id = $1
;
SELECT EXISTS (SELECT 1 FROM sessions WHERE due_at IS NULL AND vendor_id = $1)
        OR EXISTS (SELECT 1 FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1)
;
WITH RECURSIVE pending (vendor_id) AS (
        SELECT (SELECT vendor_id FROM callbacks WHERE due_at IS NOT NULL ORDER BY vendor_id, due_at LIMIT 1)
        UNION ALL
        SELECT (SELECT c.vendor_id FROM callbacks c WHERE c.due_at IS NOT NULL AND c.vendor_id > pending.vendor_id
                ORDER BY c.vendor_id, c.due_at LIMIT 1)
        FROM pending WHERE pending.vendor_id IS NOT NULL
     )
     SELECT vendor_id, (SELECT c.due_at FROM callbacks c WHERE c.due_at IS NOT NULL AND c.vendor_id = pending.vendor_id
                        ORDER BY c.vendor_id, c.due_at LIMIT 1)
     FROM pending WHERE vendor_id IS NOT NULL
;
SELECT id, vendor_id, target, host, body, state, attempts, started_at, delivered_at, fence
     FROM (SELECT id, vendor_id, target, host, body, state, attempts, started_at, delivered_at, fence, due_at
           FROM callbacks WHERE vendor_id = $1 AND due_at <= $2 ORDER BY vendor_id, due_at LIMIT $4) oldest
     WHERE host NOT IN ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
     ORDER BY due_at LIMIT $3
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id = $1
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'card' AND $4 IN ('', 'delivered') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS delivered_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'sbp' AND $4 IN ('', 'delivered') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS delivered_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'crypto' AND $4 IN ('', 'delivered') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS delivered_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'card' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS undelivered_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'sbp' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS undelivered_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'crypto' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS undelivered_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'card' AND $4 IN ('', 'no_target') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS no_target_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'sbp' AND $4 IN ('', 'no_target') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS no_target_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'crypto' AND $4 IN ('', 'no_target') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS no_target_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE vendor_id = $1 AND due_at > 0
                AND $4 IN ('', 'on_its_way', state) AND $5 IN ('', method)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) DESC LIMIT $6) AS on_its_way) AS matching
             ORDER BY id DESC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'card' AND $4 IN ('', 'delivered') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS delivered_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'sbp' AND $4 IN ('', 'delivered') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS delivered_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = 'crypto' AND $4 IN ('', 'delivered') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS delivered_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'card' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS undelivered_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'sbp' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS undelivered_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method = 'crypto' AND $4 IN ('', 'undelivered') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS undelivered_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'card' AND $4 IN ('', 'no_target') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS no_target_card UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'sbp' AND $4 IN ('', 'no_target') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS no_target_sbp UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = 'no_target' AND method = 'crypto' AND $4 IN ('', 'no_target') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS no_target_crypto UNION ALL SELECT id FROM (SELECT id FROM callbacks WHERE vendor_id = $1 AND due_at > 0
                AND $4 IN ('', 'on_its_way', state) AND $5 IN ('', method)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ASC LIMIT $6) AS on_its_way) AS matching
             ORDER BY id ASC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE $3 IN ('', state) AND $4 IN ('', method) AND id > $1
                AND id < $2 ORDER BY id DESC LIMIT $5)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE $3 IN ('', state) AND $4 IN ('', method) AND id > $1
                AND id < $2 ORDER BY id ASC LIMIT $5)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE state = 'undelivered' AND $3 <> '' AND $4 IN ('', method) AND id > $1
                AND id < $2 ORDER BY id DESC LIMIT $5)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE state = 'undelivered' AND $3 <> '' AND $4 IN ('', method) AND id > $1
                AND id < $2 ORDER BY id ASC LIMIT $5)
             ORDER BY id DESC
;
SELECT COUNT(*) FROM callbacks WHERE state = 'undelivered' AND id > $1
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE vendor_id = $1 AND position IS NOT NULL AND position > $2 ORDER BY position LIMIT $3
;
SELECT id FROM callbacks WHERE vendor_id = $1 AND position IS NULL ORDER BY id LIMIT $2
;
SELECT last FROM feeds WHERE vendor_id = $1
;
INSERT INTO feeds (vendor_id, last) VALUES ($1, 0) ON CONFLICT (vendor_id) DO NOTHING
;
UPDATE feeds SET last = $3 WHERE vendor_id = $1 AND last = $2
;
UPDATE callbacks SET position = $2
     WHERE id = (SELECT id FROM callbacks WHERE id = $1 AND position IS NULL FOR UPDATE SKIP LOCKED)
;
SELECT number, started_at, took_ms, result, status FROM callback_attempts
     WHERE callback_id = $1 ORDER BY number
;
INSERT INTO idempotency_keys (vendor_id, key, fingerprint, session_id, created_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (vendor_id, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, session_id = excluded.session_id, created_at = excluded.created_at
     WHERE idempotency_keys.created_at <= $6
;
DELETE FROM idempotency_keys WHERE (vendor_id, key) IN
        (SELECT vendor_id, key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2
         FOR UPDATE SKIP LOCKED)
;
INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, product_id,
        category_id, status, failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
        card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
;
UPDATE sessions SET status = $2, failure_reason = $3, updated_at = $4, due_at = NULL, held_until = NULL,
        plan_status = NULL, plan_reason = NULL, plan_at = NULL
     WHERE id = $1 AND status = 'pending' AND (CAST($5 AS BIGINT) IS NULL OR due_at = $5)
;
UPDATE sessions SET plan_status = $2, plan_reason = $3, plan_at = $4, due_at = $5
     WHERE id = $1 AND status = 'pending' AND due_at = $6
;
UPDATE sessions SET method = $2, card_ends_at = $3, sbp_ends_at = $4, crypto_ends_at = $5, due_at = $6,
        held_until = $7
     WHERE id = $1 AND status = 'pending' AND due_at = $8
;
UPDATE sessions SET held_until = $2, due_at = $3 WHERE id = $1 AND status = 'pending' AND due_at = $4
;
UPDATE leases SET ends_at = ends_at WHERE name = $1 AND fence = $2
;
INSERT INTO history (session_id, seq, at, kind, detail)
     VALUES ($1, (SELECT COALESCE(MAX(seq), 0) + 1 FROM history WHERE session_id = $1), $2, $3, $4)
;
INSERT INTO visits (session_id, at, kind) VALUES ($1, $2, $3) ON CONFLICT (session_id, at, kind) DO NOTHING
;
INSERT INTO callbacks (id, session_id, vendor_id, event, target, host, body, created_at, state, due_at,
        method, about, attempts, fence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0)
;
UPDATE callbacks SET state = 'sending', attempts = $3, started_at = $4, due_at = $5, fence = fence + 1
     WHERE id = $1 AND fence = $2 AND due_at IS NOT NULL
;
UPDATE callbacks SET state = $3, due_at = $4, delivered_at = COALESCE(delivered_at, $5)
     WHERE id = $1 AND fence = $2 AND state = 'sending'
;
INSERT INTO callback_attempts (callback_id, number, started_at, took_ms, result, status)
     VALUES ($1, $2, $3, $4, $5, $6)
;
UPDATE callbacks SET state = 'queued', due_at = $2, fence = fence + 1,
        attempts = CASE WHEN attempts < $3 THEN $3 ELSE attempts END
     WHERE id = $1 AND state IN ('delivered', 'undelivered')
;
UPDATE callbacks SET due_at = $2 WHERE id = $1 AND state = 'queued' AND due_at > $2
;
SELECT last FROM figures_mark WHERE name = 'events'
;
UPDATE figures_mark SET last = $2 WHERE name = 'events' AND last = $1
;
SELECT id, vendor_id, created_at, event, method, body FROM callbacks WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3
;
INSERT INTO figures (vendor_id, quarter, event, method, reason, currency, count, minor)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (vendor_id, quarter, event, method, reason, currency) DO UPDATE
     SET count = figures.count + excluded.count, minor = figures.minor + excluded.minor
;
SELECT quarter, event, method, reason, currency, count, minor, CAST(NULL AS BYTEA) FROM figures
     WHERE vendor_id = $1 AND quarter >= $2 AND quarter < $3
     UNION ALL
     SELECT created_at, event, method, '', '', 1, 0, body FROM (
        SELECT vendor_id, created_at, event, method, body FROM callbacks
        WHERE id > (SELECT last FROM figures_mark WHERE name = 'events') ORDER BY id LIMIT 50000) AS uncounted
     WHERE vendor_id = $1 AND created_at >= $2 AND created_at < $3
;
SELECT holder, fence, ends_at FROM leases WHERE name = $1
;
INSERT INTO leases (name, holder, fence, ends_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING
;
UPDATE leases SET holder = $2, fence = $3, ends_at = $4 WHERE name = $1 AND fence = $5
;
UPDATE leases SET ends_at = $4 WHERE name = $1 AND holder = $2 AND fence = $3
;
UPDATE leases SET ends_at = $2 WHERE holder = $1 AND ends_at > $2
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'card' AND $4 IN ('', 'paid') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS paid_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'sbp' AND $4 IN ('', 'paid') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS paid_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'crypto' AND $4 IN ('', 'paid') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS paid_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'card' AND $4 IN ('', 'failed') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS failed_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'sbp' AND $4 IN ('', 'failed') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS failed_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'crypto' AND $4 IN ('', 'failed') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS failed_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'card' AND $4 IN ('', 'expired') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS expired_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'sbp' AND $4 IN ('', 'expired') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS expired_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'crypto' AND $4 IN ('', 'expired') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS expired_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'card' AND $4 IN ('', 'pending') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS pending_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'sbp' AND $4 IN ('', 'pending') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS pending_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'crypto' AND $4 IN ('', 'pending') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS pending_crypto) AS matching
             ORDER BY id DESC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'card' AND $4 IN ('', 'paid') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS paid_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'sbp' AND $4 IN ('', 'paid') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS paid_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'paid' AND method = 'crypto' AND $4 IN ('', 'paid') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS paid_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'card' AND $4 IN ('', 'failed') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS failed_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'sbp' AND $4 IN ('', 'failed') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS failed_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'failed' AND method = 'crypto' AND $4 IN ('', 'failed') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS failed_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'card' AND $4 IN ('', 'expired') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS expired_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'sbp' AND $4 IN ('', 'expired') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS expired_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = 'expired' AND method = 'crypto' AND $4 IN ('', 'expired') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS expired_crypto UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'card' AND $4 IN ('', 'pending') AND $5 IN ('', 'card') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS pending_card UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'sbp' AND $4 IN ('', 'pending') AND $5 IN ('', 'sbp') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS pending_sbp UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = 'crypto' AND $4 IN ('', 'pending') AND $5 IN ('', 'crypto') AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS pending_crypto) AS matching
             ORDER BY id ASC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2
                AND status = 'paid' ORDER BY id DESC LIMIT $3) AS paid UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2
                AND status = 'failed' ORDER BY id DESC LIMIT $3) AS failed UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2
                AND status = 'expired' ORDER BY id DESC LIMIT $3) AS expired UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $2
        ORDER BY COALESCE(id, id) DESC LIMIT $3) AS pending) AS matching
     ORDER BY id DESC LIMIT $3)
     ORDER BY id DESC
;
SELECT COUNT(*) FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1
;
INSERT INTO transactions (id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor,
        currency, received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
;
INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at, subject, note, amount_minor,
        currency)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (subject) WHERE subject IS NOT NULL DO NOTHING
;
UPDATE actions SET resolution = $2, resolved_at = $3, resolved_by = $4
     WHERE id = $1 AND resolution IS NULL
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'card' AND $5 IN ('', 'card') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS all_card UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'card' AND $5 IN ('', 'card') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS marked_card UNION ALL SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'sbp' AND $5 IN ('', 'sbp') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS all_sbp UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'sbp' AND $5 IN ('', 'sbp') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS marked_sbp UNION ALL SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'crypto' AND $5 IN ('', 'crypto') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS all_crypto UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'crypto' AND $5 IN ('', 'crypto') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS marked_crypto UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE $4 = 'to_decide' AND $5 IN ('', method)
                AND id IN (SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3 ORDER BY COALESCE(id, id) DESC LIMIT $6) AS undecided) AS matching ORDER BY id DESC LIMIT $6) ORDER BY id DESC
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'card' AND $5 IN ('', 'card') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS all_card UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'card' AND $5 IN ('', 'card') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS marked_card UNION ALL SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'sbp' AND $5 IN ('', 'sbp') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS all_sbp UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'sbp' AND $5 IN ('', 'sbp') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS marked_sbp UNION ALL SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'crypto' AND $5 IN ('', 'crypto') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS all_crypto UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = 'crypto' AND $5 IN ('', 'crypto') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS marked_crypto UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE $4 = 'to_decide' AND $5 IN ('', method)
                AND id IN (SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3 ORDER BY COALESCE(id, id) ASC LIMIT $6) AS undecided) AS matching ORDER BY id ASC LIMIT $6) ORDER BY id DESC
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id < $1 ORDER BY id DESC LIMIT $2
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE session_id = $1 ORDER BY id
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id IN (SELECT transaction_id FROM actions WHERE kind = 'mismatch') AND reference = $1
     ORDER BY id DESC LIMIT $2
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id > $1 AND id < $2 AND provider = $3 ORDER BY id LIMIT $4
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id = $1
;
SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency
             FROM actions WHERE ($1 OR vendor_id = $2) AND ($3 OR resolution IS NULL) AND id < $4 ORDER BY id DESC LIMIT $5
;
SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency
             FROM actions WHERE id = $1
;
SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency
             FROM actions WHERE subject = $1
;
SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency
             FROM actions WHERE session_id = $1 ORDER BY id
;
SELECT COUNT(*) FROM actions WHERE resolution IS NULL
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'paid' AND $4 IN ('', 'paid') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS paid UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'failed' AND $4 IN ('', 'failed') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS failed UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'expired' AND $4 IN ('', 'expired') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $6) AS expired UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7
                AND $4 IN ('', 'pending') AND $5 IN ('', method)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) DESC LIMIT $6) AS pending) AS matching
             ORDER BY id DESC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id IN (SELECT id FROM (SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'paid' AND $4 IN ('', 'paid') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS paid UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'failed' AND $4 IN ('', 'failed') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS failed UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = 'expired' AND $4 IN ('', 'expired') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id ASC LIMIT $6) AS expired UNION ALL SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7
                AND $4 IN ('', 'pending') AND $5 IN ('', method)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ASC LIMIT $6) AS pending) AS matching
             ORDER BY id ASC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id IN (SELECT id FROM transactions WHERE session_id IN (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
            AND status IN ('paid', 'failed', 'expired')
         UNION ALL
         SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7) AND $5 IN ('', method) AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed) OR $4 = 'late' AND late
                OR $4 = 'partial' AND partial OR $4 = 'over' AND over OR $4 = 'reversed' AND reversed
                OR $4 = 'to_decide' AND id IN (
                    SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1))
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) DESC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at FROM transactions WHERE id IN (SELECT id FROM transactions WHERE session_id IN (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
            AND status IN ('paid', 'failed', 'expired')
         UNION ALL
         SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7) AND $5 IN ('', method) AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed) OR $4 = 'late' AND late
                OR $4 = 'partial' AND partial OR $4 = 'over' AND over OR $4 = 'reversed' AND reversed
                OR $4 = 'to_decide' AND id IN (
                    SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1))
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ASC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE session_id IN (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
            AND status IN ('paid', 'failed', 'expired')
         UNION ALL
         SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7) AND $5 IN ('', method) AND ($4 IN ('', state) OR $4 = 'on_its_way' AND due_at > 0)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) DESC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method FROM callbacks WHERE id IN (SELECT id FROM callbacks WHERE session_id IN (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
            AND status IN ('paid', 'failed', 'expired')
         UNION ALL
         SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND order_id = $7) AND $5 IN ('', method) AND ($4 IN ('', state) OR $4 = 'on_its_way' AND due_at > 0)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ASC LIMIT $6)
             ORDER BY id DESC
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id = $1 AND vendor_id = $2
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id = $1
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE id > $1 AND id < $2 AND request_id = $3 ORDER BY id LIMIT 1
;
SELECT id FROM sessions
     WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2 AND status = 'paid' ORDER BY id DESC LIMIT 1
;
SELECT id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until FROM sessions WHERE due_at <= $1 ORDER BY due_at LIMIT $2
;
SELECT MIN(due_at) FROM sessions WHERE due_at IS NOT NULL
;
SELECT fingerprint, session_id FROM idempotency_keys
     WHERE vendor_id = $1 AND key = $2 AND created_at > $3
;
SELECT id, event, target, body, state, attempts FROM callbacks WHERE session_id = $1 AND about = $2
;
SELECT at, kind, detail FROM history WHERE session_id = $1 ORDER BY seq
;
SELECT at, kind FROM visits WHERE session_id = $1 ORDER BY kind DESC, at LIMIT 100
;
SELECT created_at FROM sessions ORDER BY id DESC LIMIT 1
;
SELECT COUNT(*) FROM sessions WHERE id = $1
;
INSERT INTO simulated_payments (id, session_id, method, amount_minor, currency, opened_at, decision, decided_at,
        revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1) ON CONFLICT (id) DO NOTHING
;
SELECT id, session_id, method, amount_minor, currency, opened_at, decision, decided_at, closed_at, revision
     FROM simulated_payments WHERE id = $1
;
UPDATE simulated_payments SET decision = $3, decided_at = $4, closed_at = $5, revision = revision + 1
     WHERE id = $1 AND revision = $2
;
UPDATE simulated_payments SET revision = revision + 1 WHERE id = $1 AND revision = $2
;
INSERT INTO simulated_refunds (id, payment_id, amount_minor, behaviour, acted_at, opened_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET acted_at = excluded.acted_at
;
SELECT id, payment_id, amount_minor, behaviour, acted_at, opened_at FROM simulated_refunds
     WHERE payment_id = $1 ORDER BY id
;
SELECT (SELECT COUNT(*) FROM sessions WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM sessions WHERE due_at <= $1),
        (SELECT COUNT(*) FROM callbacks WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM callbacks WHERE due_at <= $1),
        (SELECT COUNT(*) FROM payment_attempts WHERE check_at <= $1)
;
SELECT provider, COUNT(*) FROM payment_attempts
     WHERE state IN ('intended', 'open', 'in_flight') GROUP BY provider ORDER BY provider
;
SELECT provider, MAX(created_at) FROM
        (SELECT provider, created_at FROM transactions ORDER BY id DESC LIMIT 1000) AS newest
     GROUP BY provider ORDER BY provider
