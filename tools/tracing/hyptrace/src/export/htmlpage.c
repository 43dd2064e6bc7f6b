// SPDX-License-Identifier: GPL-2.0
/*
 * The page without its data. See htmlpage.h.
 */
#include "export/htmlpage.h"

__asm__(".pushsection .rodata\n"
	".global htmlpage, htmlpage_end\n"
	"htmlpage:\n"
	".incbin \"" HTMLPAGE "\"\n"
	"htmlpage_end:\n"
	".byte 0\n"
	".popsection\n");
