package io.latimer.cli.web;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * Where and to whom the page is served.
 *
 * @param address to listen at; port 0 for any free one
 * @param write whether the page may send sentences and corrections
 * @param hosts the names in lower case under which browsers may reach it; IPv6 addresses in
 *     brackets, and {@code *.example.org} for every name below that
 * @param tls for HTTPS; empty for HTTP
 * @param token without which nothing is served; empty for none
 */
public record WebSettings(
    InetSocketAddress address,
    boolean write,
    Set<String> hosts,
    Optional<SSLContext> tls,
    Optional<String> token) {
  public WebSettings {
    hosts = Set.copyOf(hosts);
  }

  /** An address as it stands in a URL. */
  static String host(InetAddress address) {
    String text = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + text.replaceFirst("%.*", "") + "]" : text;
  }

  /** The page's address, for people. */
  String url(int port) {
    InetAddress at = address.getAddress();
    String host =
        at.isLoopbackAddress() || at.isAnyLocalAddress()
            ? hosts.stream()
                .filter(name -> tls.isPresent() && at.isAnyLocalAddress())
                .filter(name -> name.matches("[^*\\[]*[a-z][^*\\[]*") && !name.equals("localhost"))
                .sorted()
                .findFirst()
                .orElse("localhost")
            : host(at);
    return (tls.isPresent() ? "https://" : "http://")
        + host
        + ":"
        + port
        + "/"
        + token.map(text -> "?token=" + text).orElse("");
  }
}
