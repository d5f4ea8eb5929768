/* Linked into the static binary: names are looked up in /etc/hosts and by DNS, whatever /etc/nsswitch.conf says.
 *
 * A static glibc has both built in, and loads every other source that nsswitch.conf names ("resolve", "myhostname",
 * "mdns4_minimal") from the machine. Such a module brings the machine's own glibc along, and if that is another version,
 * the process crashes at its first lookup. */
#include <nss.h>

__attribute__((constructor)) static void use_built_in_sources_only(void) {
    __nss_configure_lookup("hosts", "files dns");
    __nss_configure_lookup("passwd", "files");
    __nss_configure_lookup("group", "files");
}
