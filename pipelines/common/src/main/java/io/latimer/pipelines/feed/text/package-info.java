/** The formats that feeds are written in: lines, server-sent events, JSON, HTML and XML as text. */
package io.latimer.pipelines.feed.text;
