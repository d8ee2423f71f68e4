package io.latimer.cli.web;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

/**
 * Decides which requests are served. A page of another site can make a browser send requests to
 * this machine and, with a host name that resolves to 127.0.0.1 (DNS rebinding), read the
 * responses. So the {@code Host} must be ours, requests of other sites are refused, and writes must
 * come from our own page.
 */
final class RequestGuard {
  private static final String BEARER = "Bearer ";

  private final WebSettings settings;
  private final String cookie;

  /** A reason to refuse a request, with its status code. */
  record Refusal(int status, String reason) {}

  /**
   * Creates a guard.
   *
   * @param port the server's port; distinguishes cookies, which browsers send to all ports of a
   *     host
   */
  RequestGuard(WebSettings settings, int port) {
    this.settings = settings;
    this.cookie = (settings.tls().isPresent() ? "__Host-" : "") + "latimer-" + port;
  }

  /** The reason to refuse a request; empty if it may be served, before any check of the token. */
  Optional<Refusal> refusal(Headers request, boolean writes) {
    List<String> hosts = request.getOrDefault("Host", List.of());
    if (hosts.size() != 1 || !isOurs(hosts.get(0))) {
      return Optional.of(
          new Refusal(421, "This is not a host name of the page; see docs/live-page.md."));
    }
    String site = request.getFirst("Sec-Fetch-Site");
    // navigation by a link, not a frame
    boolean opened = "document".equals(request.getFirst("Sec-Fetch-Dest"));
    if (site != null && !opened && !site.equals("same-origin") && !site.equals("none")) {
      return Optional.of(new Refusal(403, "Another site may not ask for this."));
    }
    if (writes) {
      if (!settings.write()) {
        return Optional.of(
            new Refusal(403, "The page is read-only; start the job with --web-write."));
      }
      String own = (settings.tls().isPresent() ? "https://" : "http://") + hosts.get(0);
      List<String> origins = request.getOrDefault("Origin", List.of());
      if (origins.size() != 1 || !origins.get(0).equalsIgnoreCase(own)) {
        return Optional.of(
            new Refusal(403, "Only the page itself may send this: the origin is another one."));
      }
    }
    return Optional.empty();
  }

  /** Whether a request has the token, if one is needed. */
  boolean isAllowed(Headers request) {
    if (settings.token().isEmpty()) {
      return true;
    }
    for (String authorization : request.getOrDefault("Authorization", List.of())) {
      if (authorization.startsWith(BEARER) && isToken(authorization.substring(BEARER.length()))) {
        return true;
      }
    }
    for (String line : request.getOrDefault("Cookie", List.of())) {
      for (String one : line.split(";", -1)) {
        String pair = one.strip();
        if (pair.startsWith(cookie + "=") && isToken(pair.substring(cookie.length() + 1))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a text is the token; compares in constant time. */
  boolean isToken(String text) {
    return settings.token().isPresent()
        && MessageDigest.isEqual(
            settings.token().get().getBytes(StandardCharsets.UTF_8),
            text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The header that makes a browser store the token. The cookie must also be sent when a link on
   * another site opens the page; all other requests of other sites are refused regardless of it.
   */
  String setCookie() {
    return cookie
        + "="
        + settings.token().orElseThrow()
        + "; Path=/; HttpOnly; SameSite=Lax"
        + (settings.tls().isPresent() ? "; Secure" : "");
  }

  private boolean isOurs(String host) {
    String name = WebSettings.name(host.replaceFirst(":[0-9]*$", ""));
    int dot = name.indexOf('.');
    return settings.hosts().contains(name)
        || (dot > 0 && settings.hosts().contains("*" + name.substring(dot)));
  }
}
