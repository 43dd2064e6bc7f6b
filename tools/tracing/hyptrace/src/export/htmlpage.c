// SPDX-License-Identifier: GPL-2.0
/*
 * The pages without their data. See htmlpage.h.
 */
#include "export/htmlpage.h"

__asm__(".pushsection .rodata\n"
	".global htmlpage, htmlpage_end\n"
	"htmlpage:\n"
	".incbin \"" HTMLPAGE "\"\n"
	"htmlpage_end:\n"
	".byte 0\n"
	".global comparepage, comparepage_end\n"
	"comparepage:\n"
	".incbin \"" COMPAREPAGE "\"\n"
	"comparepage_end:\n"
	".byte 0\n"
	".popsection\n");
