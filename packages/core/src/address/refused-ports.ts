const WEB_PORTS: readonly number[] = [80, 443];
/** Below it, ports belong to the services of a system: mail, SSH, DNS, LDAP, SMB and so on. */
const FIRST_FREE_PORT = 1024;

/**
 * Ports of well-known services that are not web servers, from 1024 on: those that browsers refuse (the bad ports of the Fetch
 * standard), databases, queues and the control of machines. None above 32767, where systems choose ports at random.
 */
// biome-ignore format: one kind per line is readable as a table
const SERVICES: readonly (readonly [what: string, ...ports: number[]])[] = [
  ['a browser refuses it', 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
  ['Microsoft SQL Server', 1433, 1434],
  ['Oracle', 1521],
  ['MySQL', 3306],
  ['PostgreSQL', 5432],
  ['PgBouncer', 6432],
  ['Redis', 6379, 6380, 16379, 26379],
  ['Memcached', 11211],
  ['MongoDB', 27017, 27018, 27019],
  ['Cassandra', 7199, 9042, 9160],
  ['CouchDB', 5984],
  ['CockroachDB', 26257],
  ['InfluxDB', 8086],
  ['ClickHouse', 8123],
  ['Elasticsearch', 9200, 9300],
  ['Kafka', 9092, 9093, 9094],
  ['AMQP', 5671, 5672],
  ['RabbitMQ', 15672, 25672],
  ['MQTT', 1883, 8883],
  ['NATS', 4222, 6222],
  ['etcd', 2379, 2380],
  ['ZooKeeper', 2181],
  ['Consul', 8300, 8301, 8302, 8500, 8501, 8600],
  ['Vault', 8200, 8201],
  ['Docker', 2375, 2376, 2377],
  ['Kubernetes', 6443, 10250, 10255, 10256, 10257, 10259],
  ['Prometheus', 9090, 9091, 9100],
  ['LDAP', 3268, 3269],
  ['mail', 2525],
  ['XMPP', 5222, 5269],
  ['Java RMI', 1099],
  ['AJP', 8009],
  ['NFS and iSCSI', 3260],
  ['remote desktops', 3389, 5900, 5901, 5902, 5903, 5985, 5986],
  ['proxies', 1080, 3128],
  ['Erlang', 4369],
  ['Git', 9418],
];
const SERVICE_OF = new Map(SERVICES.flatMap(([what, ...ports]) => ports.map((port) => [port, what] as const)));

/** @returns why a receiver may not have this port, as the end of a sentence, or null if it may. */
export function refusePort(port: number, allowed: readonly number[]): string | null {
  if (WEB_PORTS.includes(port) || allowed.includes(port)) return null;
  if (port < FIRST_FREE_PORT)
    return `port ${port}: below ${FIRST_FREE_PORT}, only ${WEB_PORTS.join(' and ')} are allowed`;
  const service = SERVICE_OF.get(port);
  return service === undefined ? null : `port ${port}, which is not for web servers (${service})`;
}
