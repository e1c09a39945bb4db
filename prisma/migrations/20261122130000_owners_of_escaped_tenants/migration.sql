-- The owner of a conversation was `tenant/user`; `%` and `/` of the tenant are escaped now. The tenant stands beside it, so each old
-- name is read in one way only.
UPDATE "conversation"
SET "owner" = replace(replace("tenant_id", '%', '%25'), '/', '%2F') || substr("owner", length("tenant_id") + 1)
WHERE "tenant_id" ~ '[%/]' AND starts_with("owner", "tenant_id" || '/');
