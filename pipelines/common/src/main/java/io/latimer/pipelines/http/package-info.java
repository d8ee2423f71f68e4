/** The common parts of HTTP clients. */
package io.latimer.pipelines.http;
