#!/bin/sh
# Backs up the database and the files again and again: sh ops/backup.sh BACKUPS FILES. The connection is in PGHOST, PGUSER, … of the environment.
# A backup is BACKUPS/<time>/, with database.dump (pg_restore) and files.tar. It has its name once it is complete.
set -eu
umask 077
backups=${1:?folder for backups}
files=${2:?folder with files}
keep_days=${BACKUP_KEEP_DAYS:-14}

back_up() {
  time=$(date -u +%Y%m%dT%H%M%SZ)
  part="$backups/.$time"
  mkdir "$part" &&
    pg_dump --format=custom --exclude-table-data='*.moved_call' --file="$part/database.dump" &&
    # A file that a tool writes or removes meanwhile does not count (tar ends with 1).
    { tar -cf "$part/files.tar" -C "$files" . || [ $? -eq 1 ]; } &&
    mv "$part" "$backups/$time" &&
    echo "{\"event\":\"backup\",\"name\":\"$time\"}"
}

# What an interrupted run has left.
find "$backups" -mindepth 1 -maxdepth 1 -name '.*' -exec rm -rf {} +
while :; do
  if back_up; then
    # Only then: while none can be made, the old ones are all that there is.
    find "$backups" -mindepth 1 -maxdepth 1 -type d -mtime "+$keep_days" -exec rm -rf {} +
  else
    rm -rf "$part" && echo '{"event":"backup-failed","level":"error"}' >&2
  fi
  # With wait, so that a signal is obeyed at once.
  sleep "${BACKUP_EVERY_SECONDS:-86400}" & wait $!
done
