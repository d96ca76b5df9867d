#include "CCairo.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(void, cairo_clip, (cairo_t *cr), (cr))                                                     \
  CALL(void, cairo_close_path, (cairo_t *cr), (cr))                                               \
  CALL(cairo_t *, cairo_create, (cairo_surface_t *target), (target))                              \
  CALL(void, cairo_destroy, (cairo_t *cr), (cr))                                                  \
  CALL(void, cairo_fill, (cairo_t *cr), (cr))                                                     \
  CALL(cairo_font_options_t *, cairo_font_options_create, (void), ())                             \
  CALL(void, cairo_font_options_destroy, (cairo_font_options_t *options), (options))              \
  CALL(void, cairo_font_options_set_antialias,                                                    \
       (cairo_font_options_t *options, cairo_antialias_t antialias), (options, antialias))        \
  CALL(void, cairo_font_options_set_hint_metrics,                                                 \
       (cairo_font_options_t *options, cairo_hint_metrics_t hint_metrics),                        \
       (options, hint_metrics))                                                                   \
  CALL(void, cairo_font_options_set_hint_style,                                                   \
       (cairo_font_options_t *options, cairo_hint_style_t hint_style), (options, hint_style))     \
  CALL(cairo_pattern_t *, cairo_get_source, (cairo_t *cr), (cr))                                  \
  CALL(cairo_surface_t *, cairo_image_surface_create,                                             \
       (cairo_format_t format, int width, int height), (format, width, height))                   \
  CALL(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *surface), (surface))      \
  CALL(int, cairo_image_surface_get_stride, (cairo_surface_t *surface), (surface))                \
  CALL(void, cairo_line_to, (cairo_t *cr, double x, double y), (cr, x, y))                        \
  CALL(void, cairo_move_to, (cairo_t *cr, double x, double y), (cr, x, y))                        \
  CALL(void, cairo_new_path, (cairo_t *cr), (cr))                                                 \
  CALL(void, cairo_paint, (cairo_t *cr), (cr))                                                    \
  CALL(void, cairo_pattern_set_filter,                                                            \
       (cairo_pattern_t *pattern, cairo_filter_t filter), (pattern, filter))                      \
  CALL(void, cairo_rectangle,                                                                     \
       (cairo_t *cr, double x, double y, double width, double height), (cr, x, y, width, height)) \
  CALL(void, cairo_restore, (cairo_t *cr), (cr))                                                  \
  CALL(void, cairo_save, (cairo_t *cr), (cr))                                                     \
  CALL(void, cairo_scale, (cairo_t *cr, double sx, double sy), (cr, sx, sy))                      \
  CALL(void, cairo_select_font_face,                                                              \
       (cairo_t *cr, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight),   \
       (cr, family, slant, weight))                                                               \
  CALL(void, cairo_set_dash,                                                                      \
       (cairo_t *cr, const double *dashes, int num_dashes, double offset),                        \
       (cr, dashes, num_dashes, offset))                                                          \
  CALL(void, cairo_set_font_options,                                                              \
       (cairo_t *cr, const cairo_font_options_t *options), (cr, options))                         \
  CALL(void, cairo_set_font_size, (cairo_t *cr, double size), (cr, size))                         \
  CALL(void, cairo_set_line_join, (cairo_t *cr, cairo_line_join_t line_join), (cr, line_join))    \
  CALL(void, cairo_set_line_width, (cairo_t *cr, double width), (cr, width))                      \
  CALL(void, cairo_set_source_rgba,                                                               \
       (cairo_t *cr, double red, double green, double blue, double alpha),                        \
       (cr, red, green, blue, alpha))                                                             \
  CALL(void, cairo_set_source_surface,                                                            \
       (cairo_t *cr, cairo_surface_t *surface, double x, double y), (cr, surface, x, y))          \
  CALL(void, cairo_show_text, (cairo_t *cr, const char *utf8), (cr, utf8))                        \
  CALL(void, cairo_stroke, (cairo_t *cr), (cr))                                                   \
  CALL(void, cairo_surface_destroy, (cairo_surface_t *surface), (surface))                        \
  CALL(void, cairo_surface_flush, (cairo_surface_t *surface), (surface))                          \
  CALL(void, cairo_surface_mark_dirty, (cairo_surface_t *surface), (surface))                     \
  CALL(cairo_status_t, cairo_surface_write_to_png_stream,                                         \
       (cairo_surface_t *surface, cairo_write_func_t write_func, void *closure),                  \
       (surface, write_func, closure))                                                            \
  CALL(void, cairo_text_extents,                                                                  \
       (cairo_t *cr, const char *utf8, cairo_text_extents_t *extents), (cr, utf8, extents))       \
  CALL(void, cairo_translate, (cairo_t *cr, double tx, double ty), (cr, tx, ty))
// clang-format on

CLOADING_LIBRARY("libcairo.so.2", "libcairo2", FUNCTIONS)

const char *ccairo_load(void) { return cloading_load(&library); }
