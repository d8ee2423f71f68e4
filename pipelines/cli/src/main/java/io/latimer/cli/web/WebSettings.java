package io.latimer.cli.web;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * The settings of the page's server and of access to it.
 *
 * @param address on which to listen; port 0 for any free one
 * @param write whether the page may send sentences and corrections
 * @param hosts the host names and addresses under which browsers may reach it; {@code
 *     *.example.org} matches every name below that
 * @param tls for HTTPS; empty for HTTP
 * @param token required for every request; empty for none
 */
public record WebSettings(
    InetSocketAddress address,
    boolean write,
    Set<String> hosts,
    Optional<SSLContext> tls,
    Optional<String> token) {
  /** The addresses to which browsers resolve localhost. */
  private static final Set<String> LOCALHOST = Set.of("127.0.0.1", "0:0:0:0:0:0:0:1");

  public WebSettings {
    hosts = hosts.stream().map(WebSettings::name).collect(Collectors.toUnmodifiableSet());
  }

  /** Formats an address for a URL. */
  static String host(InetAddress address) {
    String text = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + text.replaceFirst("%.*", "") + "]" : text;
  }

  /**
   * Normalizes a host name or address for comparison: lower case, IPv6 addresses in brackets and
   * uncompressed.
   *
   * @param text from a certificate, a URL or an option
   */
  static String name(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    String address = name.startsWith("[") && name.endsWith("]") ? inner(name) : name;
    if (!address.matches("[0-9a-f:.]*:[0-9a-f:.]*")) {
      return name;
    }
    try {
      return host(InetAddress.getByName("[" + address + "]")); // a literal address: no DNS lookup
    } catch (UnknownHostException e) {
      return name;
    }
  }

  private static String inner(String bracketed) {
    return bracketed.substring(1, bracketed.length() - 1);
  }

  /** The page's URL for display. */
  String url(int port) {
    InetAddress at = address.getAddress();
    String host =
        LOCALHOST.contains(at.getHostAddress()) || at.isAnyLocalAddress()
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
