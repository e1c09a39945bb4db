#!/bin/sh
# Prints the users of Redis as an ACL file: sh ops/redis-users.sh > users.acl && redis-server --aclfile users.acl …
# Each app is a user of its own, with the password REDIS_<APP>_PASSWORD. It reaches the keys and channels of its part alone, with commands on
# data and no others. A process checks its rights when it connects, and names what is missing.
set -eu
namespace=${INVOQ_NAMESPACE:-invoq}

data='+@string +@hash +@list +@set +@sortedset +@stream -@blocking -@dangerous'
keyspace='+del +unlink +exists +pexpire +pttl +persist +type'
# The last five are how a client follows the slots of a cluster.
rest='+eval +evalsha +multi +exec +discard +publish +subscribe +unsubscribe +pubsub|numsub +ping +quit +info +time +client|setname +cluster|slots +cluster|info +asking +readonly +readwrite'

# user NAME PASSWORD RIGHTS
user() {
  hash=$(printf %s "$2" | sha256sum)
  echo "user $1 on #${hash%% *} resetkeys resetchannels -@all $3"
}

# worker DOMAIN PASSWORD [RIGHTS]: its own queues and calls, the numbers of partitions, and the traces and the lists of runs, which all write.
# The lists of traces are {…:traces:…}; {…:traces}:… is that of an older version, which runs on until it is replaced.
worker() {
  user "$1-worker" "$2" "~{$namespace:$1}:* ~{$namespace:$1~* %R~$namespace:partitions ~{$namespace:traces[:}]* ~{$namespace:runs}:* &{$namespace:$1}:* &{$namespace:runs}:* ${3:-} $data $keyspace $rest +bzpopmin"
}

# Without a name and a password nobody may do anything.
echo 'user default off'
# For operators; no process has it.
user admin "${REDIS_ADMIN_PASSWORD:?}" '~* &* +@all'
# Of a replica: it receives everything, and may do nothing.
user replica "${REDIS_REPLICA_PASSWORD:?}" '+psync +replconf +ping'
# Accepts, follows and shows the calls of all domains; its board counts the workers by CLIENT LIST.
user gateway "${REDIS_GATEWAY_PASSWORD:?}" "~{$namespace:* ~$namespace:* &{$namespace:* &$namespace:* $data $keyspace $rest +client|list"
# Workers: `npm run format` writes them.
worker agent "${REDIS_AGENT_PASSWORD:?}"
worker knowledge "${REDIS_KNOWLEDGE_PASSWORD:?}"
worker memotree "${REDIS_MEMOTREE_PASSWORD:?}"
worker perception "${REDIS_PERCEPTION_PASSWORD:?}" "&$namespace:outside-changes ~$namespace:watched:*"
worker profile "${REDIS_PROFILE_PASSWORD:?}"
worker stripe "${REDIS_STRIPE_PASSWORD:?}"
# End of what is written.
