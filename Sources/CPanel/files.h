// The files of the page, a line each. They are served under their names; their numbers have no gaps.
#define FILE_1 "../Panel/Page/index.html"
