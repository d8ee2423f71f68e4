package io.latimer.pipelines.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Decides which redirects are followed: never from https to http or back, and never from a public
 * host to a private, link-local or loopback address, because a server must not choose what is read
 * there (SSRF). The JVM caches checked addresses long enough to connect to the same ones
 * (networkaddress.cache.ttl, 30 s by default).
 */
public final class Redirects {
  private static final int MAX = 5;

  private final boolean internal;
  private int followed;

  /**
   * Starts with a URI. Its host is resolved now, before its server can answer and change its
   * address.
   */
  public Redirects(URI first) {
    this(isKnownInternal(first.getHost()));
  }

  /** Starts with a URI that is internal or not. */
  Redirects(boolean internal) {
    this.internal = internal;
  }

  /** Whether a status code is a redirect. */
  public static boolean isRedirect(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> true;
      default -> false;
    };
  }

  /**
   * Resolves the target of a redirect.
   *
   * @param at the URI that redirects
   * @param location the header; null or empty if there is none
   * @throws RefusedRedirectException if it must not be followed
   * @throws IOException if its host is unknown
   */
  public URI target(URI at, String location) throws IOException {
    if (++followed > MAX) {
      throw new RefusedRedirectException("redirects more than " + MAX + " times");
    }
    URI to = resolved(at, location);
    if (!at.getScheme().equalsIgnoreCase(to.getScheme())) {
      throw new RefusedRedirectException(
          "redirects to another protocol, " + to.getScheme() + "; give the final address");
    }
    if (!internal && isInternal(to.getHost())) {
      throw new RefusedRedirectException(
          "redirects into a private network, to " + to.getHost() + "; give the address there");
    }
    return to;
  }

  private static URI resolved(URI at, String location) throws RefusedRedirectException {
    try {
      if (location != null && !location.isEmpty()) {
        URI to = at.resolve(location);
        boolean same = at.getScheme().equalsIgnoreCase(to.getScheme());
        if (!same || to.getHost() != null) {
          return to;
        }
      }
    } catch (IllegalArgumentException e) {
      // treated as missing
    }
    throw new RefusedRedirectException("redirects to an invalid address; give the final address");
  }

  /** Whether a host is internal; false for an unknown one, which a proxy may know. */
  private static boolean isKnownInternal(String host) {
    try {
      return isInternal(host);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isInternal(String host) throws IOException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new IOException("unknown host " + host, e);
    }
    for (InetAddress address : addresses) {
      if (isInternal(address)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isInternal(InetAddress address) throws IOException {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    if (address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return true;
    }
    if (bytes.length == 4) {
      return first == 0 // RFC 6890: this network
          || (first == 100 && (second & 0xc0) == 64) // RFC 6598: shared address space
          || (first == 198 && (second & 0xfe) == 18) // RFC 2544: benchmarking
          || first >= 240; // RFC 1112: reserved
    }
    if (isZero(bytes, 0, 12) || (first == 0 && second == 0x64 && bytes[2] == (byte) 0xff)) {
      // RFC 4291 and 6052: an IPv4 address follows
      return isInternal(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16)));
    }
    if (first == 0x20 && second == 0x02) { // RFC 3056: an IPv4 address follows
      return isInternal(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 2, 6)));
    }
    return (first & 0xfe) == 0xfc; // RFC 4193
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
